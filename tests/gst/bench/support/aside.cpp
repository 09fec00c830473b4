// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/support/aside.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace tandem {
namespace {

// Without its end; false when the other side has closed.
bool read_line(int from, std::string& line) {
  line.clear();
  for (char c = 0; read(from, &c, 1) == 1;) {
    if (c == '\n') return true;
    line += c;
  }
  return false;
}

bool write_line(int to, const std::string& line) {
  const std::string text = line + "\n";
  return write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

Aside::Aside(const std::function<std::string(const std::string&)>& answer) {
  std::signal(SIGPIPE, SIG_IGN);  // ask() says that the process has ended
  int lines[2], answers[2];
  if (pipe(lines) != 0 || pipe(answers) != 0) throw std::runtime_error("no pipe can be made");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process can be started");
  if (process_ != 0) {
    close(lines[0]);
    close(answers[1]);
    lines_ = lines[1];
    answers_ = answers[0];
    return;
  }
  close(lines[1]);
  close(answers[0]);
  try {
    for (std::string line; read_line(lines[0], line);)
      if (!write_line(answers[1], answer(line))) break;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "the process beside this one: %s\n", e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

Aside::~Aside() {
  close(lines_);
  close(answers_);
  waitpid(process_, nullptr, 0);
}

std::string Aside::ask(const std::string& line) {
  std::string answer;
  if (!write_line(lines_, line) || !read_line(answers_, answer))
    throw std::runtime_error("the process beside this one has ended, asked '" + line + "'");
  return answer;
}

}  // namespace tandem
