"""What dm-crypt's aes-xts-plain64 does to a sector, by OpenSSL's library, as Python has no ciphers of its own."""

import ctypes
import ctypes.util

from rig.errors import RigError

SECTOR_BYTES = 512


def encrypt(key, data, sector):
    """Encrypts whole sectors, the first of which has this number on the plain device."""
    return _crypt(key, data, sector, 1)


def decrypt(key, data, sector):
    """The reverse."""
    return _crypt(key, data, sector, 0)


def _crypt(key, data, sector, encrypting):
    library = _library()
    cipher = {32: library.EVP_aes_128_xts, 64: library.EVP_aes_256_xts}[len(key)]()
    context = library.EVP_CIPHER_CTX_new()
    try:
        out = b""
        for number, at in enumerate(range(0, len(data), SECTOR_BYTES)):
            tweak = (sector + number).to_bytes(16, "little")
            piece = ctypes.create_string_buffer(SECTOR_BYTES)
            length = ctypes.c_int()
            done = library.EVP_CipherInit_ex(context, cipher, None, key, tweak, encrypting) == 1
            sector_data = data[at : at + SECTOR_BYTES]
            done = done and library.EVP_CipherUpdate(
                context, piece, ctypes.byref(length), sector_data, SECTOR_BYTES
            )
            if done != 1 or length.value != SECTOR_BYTES:
                raise RigError("libcrypto does not do aes-xts")
            out += piece.raw
        return out
    finally:
        library.EVP_CIPHER_CTX_free(context)


def _library():
    name = ctypes.util.find_library("crypto")
    if name is None:
        raise RigError("needs OpenSSL's libcrypto: install libssl3")
    library = ctypes.CDLL(name)
    for function in ("EVP_aes_128_xts", "EVP_aes_256_xts", "EVP_CIPHER_CTX_new"):
        getattr(library, function).restype = ctypes.c_void_p
    library.EVP_CIPHER_CTX_free.argtypes = [ctypes.c_void_p]
    library.EVP_CipherInit_ex.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_char_p] * 2 + [ctypes.c_int]
    library.EVP_CipherUpdate.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_char_p,
        ctypes.c_int,
    ]
    return library
