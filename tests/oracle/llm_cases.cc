// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/llm_cases.h"

#include <utf8proc.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

// The first article of the Universal Declaration of Human Rights, or a part of it.
const std::vector<std::string> kSentences = {
    "All human beings are born free and equal in dignity and rights.",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "Todos los seres humanos nacen libres e iguales en dignidad y derechos.",
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
    "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।",
    "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।",
    "மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "人人生而自由，在尊严和权利上一律平等。",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
    "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։",
    "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. İIıi",
    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan."};

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long ones are of two literals.
const std::vector<std::string> kOddities = {
    "",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r\n\r\n  x",
    "a\n\n\n b",
    " \n \n\t\n",
    "\t\tif (x) {\r\n\t\t}\r\n",
    "   leading and trailing   ",
    "x  y   z    w",
    "I'm you're he'll we've they'd it's don't 'S 'T 'RE 'LL 'ſ 'M",
    "''s'''t 's's' d'accord l'été",
    "1 12 123 1234 12345 123456789 3.14159 1,000,000 ٣٤٥ १२३ ①②③ Ⅷ ½",
    "a1b22c333d4444",
    "👍🏽 👩‍👩‍👧‍👦 🏴‍☠️ 🇩🇪🇫🇷 ❤️ 😀😁😂 ☺︎ "
    "1️⃣",
    "e\xcc\x81 \xc3\xa9 A\xcc\x8a \xe2\x84\xab o\xcc\x82\xcc\xa3 q\xcc\xa3\xcc\x87 \xcc\x81x",
    "\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8 \xea\xb0\x80\xe1\x86\xa8 \xe1\x84\x92\xe1\x85\xa1",
    "\xef\xac\x81 \xef\xbc\xa1 \xe2\x85\xb3 \xe2\x84\xa6 \xcd\xbe \xef\xa4\x80 \xe2\x80\xa6",
    "\xc2\xa0\xe2\x80\x83\xe3\x80\x80x\xe1\x9a\x80y\xe2\x80\xa8z\xc2\x85w\xe1\xa0\x8ev\xef\xbb\xbf"
    "\xe2\x80\x8bu",
    "zero\xe2\x80\x8dwidth\xe2\x80\x8cjoiner soft\xc2\xadhyphen",
    "<|endoftext|>",
    "<|im_start|>user\nhi<|im_end|>\n",
    " <|im_end|> <|im_end|><|im_end|>",
    "<|im_end",
    "<|im_end|",
    "im_end|>",
    "<<|im_end|>>",
    "<tool_call>\n{\"name\": \"f\"}\n</tool_call><think>\n</think>",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
    std::string(3000, 'a'),
    std::string(2000, ' ') + "x",
    std::string(1000, '\n'),
    std::string(500, '=') + "\n" + std::string(500, '-'),
    std::string("nul\0inside", 10),
    "\x7f\x01\x02 \x1b[31mred\x1b[0m",
    "ﷺ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𒀀 𓀀 \xf4\x8f\xbf\xbf \xef\xbf\xbe",
    "https://example.org/a?b=c&d=%20#e _snake_case CamelCase kebab-case $x @y \\n",
    "SELECT * FROM t WHERE a <> 'b' -- c\n/* d */"};
// NOLINTEND(bugprone-suspicious-missing-comma)

void AddFiles(std::vector<std::string>& cases) {
  constexpr std::size_t kPiece = 1500;
  std::vector<fs::path> files;
  const fs::path root = HONE_SOURCE_DIR;
  for (const char* folder : {"docs", "hone/core", "scripts", "web/src", "tests/oracle"}) {
    std::error_code fault;
    for (const auto& entry : fs::directory_iterator(root / folder, fault)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const auto text = ReadFile(file);
    if (!text) continue;
    const std::string valid = ValidUtf8(*text);
    for (std::size_t at = 0; at < valid.size(); at += 4 * kPiece) {
      cases.push_back(ValidUtf8(valid.substr(at, kPiece)));
    }
  }
}

// Old enough to be known to every library: the newest letters are in some and not in others.
bool IsOldCharacter(char32_t character) {
  if (character >= 0xd800 && character < 0xe000) return false;
  if (character >= 0x323b0) return character >= 0x10fff0;
  return utf8proc_category(static_cast<utf8proc_int32_t>(character)) != UTF8PROC_CATEGORY_CN &&
         (character < 0x10000 || (character >= 0x1f300 && character < 0x1f650) ||
          (character >= 0x20000 && character < 0x2a6d0) || character < 0x10400);
}

std::string RandomLetters(Rng& rng) {
  static const std::vector<std::string> kinds = {"abcdefghijklmnopqrstuvwxyzETAOIN",
                                                 "0123456789",
                                                 "    \t\n\r",
                                                 " ",
                                                 "'\"`.,;:!?-_=+*/\\|<>()[]{}@#$%^&~",
                                                 "éèüöäßñçåøŁžİı",
                                                 "日本語中文한국어",
                                                 "абвгдеё",
                                                 "\xcc\x81\xcc\x88\xcc\xa3\xcc\x87\xe3\x82\x99",
                                                 "\xc2\xa0\xe2\x80\x83\xe3\x80\x80\xc2\x85"};
  std::string text;
  const std::uint64_t length = 1 + rng.Below(60);
  while (text.size() < length) {
    const std::string& kind = kinds[rng.Below(kinds.size())];
    for (std::uint64_t k = rng.Below(6); k > 0; --k) {
      std::size_t at = rng.Below(kind.size());
      while (at > 0 && (static_cast<unsigned char>(kind[at]) & 0xc0) == 0x80) --at;
      text += std::string_view(kind).substr(at, CharacterBytes(std::string_view(kind).substr(at)));
    }
    if (rng.Below(20) == 0) text += kOddities[rng.Below(30)];
  }
  return text;
}

std::string RandomCharacters(Rng& rng) {
  std::string text;
  for (std::uint64_t k = 1 + rng.Below(30); k > 0; --k) {
    auto character = static_cast<char32_t>(rng.Coin() ? rng.Below(0x3000) : rng.Below(0x110000));
    while (!IsOldCharacter(character)) character = static_cast<char32_t>(rng.Below(0x10000));
    AppendCharacter(text, character);
  }
  return text;
}

std::string RandomBytes(Rng& rng) {
  std::string bytes;
  for (std::uint64_t k = 1 + rng.Below(40); k > 0; --k) {
    bytes += static_cast<char>(rng.Below(256));
  }
  return ValidUtf8(bytes);
}

}  // namespace

std::vector<std::string> TokenizerCases(const std::vector<std::string>& tokens, std::uint64_t seed,
                                        int random_cases) {
  std::vector<std::string> cases = kSentences;
  cases.insert(cases.end(), kOddities.begin(), kOddities.end());
  for (const std::string& token : tokens) {
    cases.push_back(token);
    cases.push_back("a " + token + " b\n" + token + token);
  }
  AddFiles(cases);
  Rng rng(seed);
  for (int k = 0; k < random_cases; ++k) {
    cases.push_back(RandomLetters(rng));
    cases.push_back(RandomCharacters(rng));
    cases.push_back(RandomBytes(rng));
  }
  return cases;
}

}  // namespace hone::llm
