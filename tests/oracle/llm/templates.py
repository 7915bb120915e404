# SPDX-License-Identifier: Apache-2.0
"""templates.py CASES: what Jinja2, set up as transformers sets it up, makes of each template and
context of CASES (a JSON array of [template, context]); a text, or null where it raises."""

import json
import sys
from datetime import datetime

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


def render(source, context):
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        return environment.from_string(source).render(**context)
    except Exception:  # Whatever it is, we must refuse it too.
        return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    json.dump([render(source, context) for source, context in cases], sys.stdout)


main()
