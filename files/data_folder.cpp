// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/data_folder.h"

#include <cstdlib>

namespace tandem {

std::string data_folder() {
  const char* const folder = std::getenv("TANDEM_DATA_DIR");
  return folder ? folder : TANDEM_DATADIR;
}

}  // namespace tandem
