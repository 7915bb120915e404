// SPDX-License-Identifier: Apache-2.0
// Fails, with the reason, where what the page is built and tested with is not installed.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
if (!existsSync(join(web, "node_modules", ".hone-installed"))) {
  console.error(
    "web/node_modules: nothing is installed, so this build has no page and its tests cannot run; " +
      "npm could not reach a registry (the build folder's page-install.log). Build again where it can.",
  );
  process.exit(1);
}
