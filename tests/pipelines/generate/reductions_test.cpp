// SPDX-License-Identifier: LGPL-2.1-or-later
// What a loop may do with the variables of its reduction.
#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"

namespace tandem::generate {
namespace {

/// Of a loop with these clauses, the body of which is in line 5.
std::string reduced(const std::string& clauses, const std::string& body) {
  try {
    return "taken: " + generate_stage(
                           "#include <math.h>\n"
                           "float own(int n, const float a[n], const int k[n], int c[restrict 8]) "
                           "{ float s = 0, t = 0; int m = 0;\n"
                           "#pragma omp parallel for " +
                               clauses + "\n  for (int i = 0; i < n; i++) {\n" + body +
                               "\n  }\n  return s + t + m;\n}\n",
                           "own.c", {.values = {{"n", 64}}})
                           .text;
  } catch (const Refusal& refused) {
    return refused.what();
  }
}

void expect_taken(const std::string& clauses, const std::string& body) {
  EXPECT_EQ(reduced(clauses, body).substr(0, 6), "taken:") << clauses << ' ' << body << '\n'
                                                           << reduced(clauses, body);
}

void expect_refused(const std::string& clauses, const std::string& body, const std::string& place,
                    const std::string& form) {
  const std::string said = reduced(clauses, body);
  EXPECT_EQ(said.substr(0, said.find(' ')), "own.c:" + place + ":") << body << '\n' << said;
  EXPECT_NE(said.find("the loop may only do '" + form + "'"), said.npos) << body << '\n' << said;
}

TEST(Reductions, OfSumsAreTaken) {
  for (const char* const body :
       {"s += a[i];", "s -= a[i];", "s++; s += a[i];", "--s; s += a[i];", "s = s + a[i];",
        "s = a[i] + s;", "s = s - a[i] + 2 * a[i];", "s = a[i] + (s + 1);",
        "if (a[i] > 0) s += a[i];", "s += a[i]; for (int j = 0; j < 3; j++) s += j;",
        "if (a[i] < 0) continue; s += a[i];"})
    expect_taken("reduction(+ : s)", body);
  expect_taken("reduction(+ : s, t)", "s += a[i], t += 1;");
  expect_taken("reduction(+ : c[:8])", "c[k[i] & 7] += 1;");
  expect_taken("reduction(+ : c[:8])", "c[k[i] & 7]++;");
  expect_taken("reduction(+ : c[:8])", "c[k[i] & 7] = c[k[i] & 7] + k[i];");
  expect_taken("reduction(+ : m)", "m += (int)a[i];");
}

TEST(Reductions, OfOthersAreTaken) {
  expect_taken("reduction(* : s)", "s *= a[i];");
  expect_taken("reduction(* : s)", "s = 2 * s * a[i];");
  expect_taken("reduction(& : m)", "m = m & k[i];");
  expect_taken("reduction(| : m)", "m |= k[i];");
  expect_taken("reduction(^ : m)", "m = k[i] ^ m;");
  for (const char* const body :
       {"if (a[i] > s) s = a[i];", "if (s < a[i]) { s = a[i]; }", "if (s <= (a[i])) s = (a[i]);",
        "s = a[i] > s ? a[i] : s;", "s = s > a[i] ? s : a[i];", "s = fmaxf(s, a[i]);",
        "s = fmaxf(2 * a[i], s);", "if (k[i] && a[i] > s && i > 2) s = a[i];",
        "const float v = fabsf(a[i]); if (v > s) s = v;"})
    expect_taken("reduction(max : s)", body);
  expect_taken("reduction(min : m)", "if (k[i] < m) m = k[i];");
  expect_taken("reduction(min : m)", "m = k[i] < m ? k[i] : m;");
}

TEST(Reductions, OfWhatDependsOnTheOrderAreRefused) {
  const std::string sum = "s += value";
  expect_refused("reduction(+ : s)", "s = s * 2 + a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s = -s + a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s = a[i] - s;", "5:1", sum);
  expect_refused("reduction(+ : s)", "s += s * a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s = s + s + a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s = a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s *= a[i];", "5:1", sum);
  expect_refused("reduction(+ : s)", "s += a[i];\nif (s > 10) s = 10;", "6:5", sum);
  expect_refused("reduction(+ : s)", "s += a[i];\ns = fminf(s, 10);", "6:1", sum);
  expect_refused("reduction(+ : s, t)", "s += a[i];\nt += s;", "6:6", sum);
  expect_refused("reduction(+ : s, t)", "t += (s += a[i]);", "5:7", sum);
  expect_refused("reduction(+ : s)", "for (int j = 0; j < s; j++) s += a[i];", "5:21", sum);
  expect_refused("reduction(+ : m)", "m += a[m & 1];", "5:1", "m += value");
  expect_refused("reduction(+ : c[:8])", "c[0] += c[1] + k[i];", "5:1", "c[...] += value");
  expect_refused("reduction(+ : c[:8])", "c[k[i] & 7] = c[i & 7] + 1;", "5:1", "c[...] += value");
  expect_refused("reduction(* : s)", "s /= a[i];", "5:1", "s *= value");
  expect_refused("reduction(^ : m)", "m = ~m ^ k[i];", "5:1", "m ^= value");
  const std::string most = "if (value > s) s = value";
  expect_refused("reduction(max : s)", "s += a[i];", "5:1", most);
  expect_refused("reduction(max : s)", "if (a[i] < s) s = a[i];", "5:12", most);
  expect_refused("reduction(max : s)", "if (a[i] > s) s = 2 * a[i];", "5:12", most);
  expect_refused("reduction(max : s)", "if (a[i] > s) s = a[i]; else s = 1;", "5:12", most);
  expect_refused("reduction(max : s)", "s = a[i] < s ? a[i] : s;", "5:1", most);
  expect_refused("reduction(max : s)", "s = fminf(s, a[i]);", "5:1", most);
  expect_refused("reduction(max : s)", "s = a[i];", "5:1", most);
  expect_refused("reduction(max : s) reduction(+ : t)", "if (a[i] > s) { s = a[i]; t += 1; }",
                 "5:12", most);
  expect_refused("reduction(min : m)", "if (k[i] > m || i == 0) m = k[i];", "5:12",
                 "if (value < m) m = value");
}

TEST(Reductions, AreOfWhatTheLoopChanges) {
  EXPECT_EQ(reduced("reduction(+ : s, t)", "s += a[i];"),
            "own.c:3:43: the loop never changes 't': take it out of the reduction");
}

TEST(Reductions, OfWholeNumbersHaveWholeValues) {
  EXPECT_EQ(reduced("reduction(+ : m)", "m += a[i];"),
            "own.c:5:6: 'm' is whole and the value is not: each iteration would round the result "
            "so far, and how often depends on how the loop is cut. Convert the value as in "
            "(int)(value), or make 'm' float");
  EXPECT_EQ(reduced("reduction(* : m)", "m = m * 0.5f;").substr(0, 29),
            "own.c:5:5: 'm' is whole and t");
}

}  // namespace
}  // namespace tandem::generate
