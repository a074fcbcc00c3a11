/// What a key file holds.
#pragma once

#include "dormouse/sealing.h"
#include "dormouse/secret.h"

#include "seal/private_half.h"

namespace dormouse {

struct KeyFile::State {
  KeyWay way = KeyWay::kKeyFile;
  Secret raw;              ///< kKeyFile: kKeyBytes
  SealedPrivateHalf half;  ///< kKeyPair
};

}  // namespace dormouse
