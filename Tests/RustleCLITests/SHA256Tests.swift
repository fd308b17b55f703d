import RustleFiles
import Testing

@Suite struct SHA256Tests {
  /// The examples of NIST for FIPS 180-4, and no bytes.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]) func examplesHaveTheirHashes(text: String, expected: String) {
    var hash = SHA256()
    hash.update(Array(text.utf8))
    #expect(hash.finish() == expected)
  }

  /// A million times the letter a.
  @Test(arguments: [1_000, 64, 77]) func piecesOfAnyLengthHaveOneHash(length: Int) {
    var hash = SHA256()
    var left = 1_000_000
    while left > 0 {
      hash.update([UInt8](repeating: UInt8(ascii: "a"), count: min(length, left)))
      left -= length
    }
    #expect(hash.finish() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// The first two test cases of RFC 4231, section 4, and the sixth: a key that is longer than a block.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]) func messagesHaveTheirAuthenticationCodes(key: [UInt8], message: String, expected: String) {
    #expect(SHA256.tag(of: Array(message.utf8), key: key) == expected)
  }
}
