import CurlewDigests
import FoundationEssentials
import Testing

@Suite struct DigestTests {
  /// FIPS 180-4's and RFC 1321's own examples.
  @Test(arguments: [
    (DigestAlgorithm.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha512Truncated256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
    (
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ])
  func `a digest is the standard's`(algorithm: DigestAlgorithm, text: String, expected: String) throws {
    #expect(try Digest.of(Data(text.utf8), algorithm).hexadecimal == expected)
    #expect(expected.count == algorithm.length * 2)
  }

  @Test func `portions make the same digest as the whole`() throws {
    let bytes = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let digest = try Digest(.sha256)
    for start in stride(from: 0, to: bytes.count, by: 777) {
      digest.update(bytes[start..<min(start + 777, bytes.count)])
    }
    #expect(try digest.finish() == Digest.of(bytes, .sha256))
  }

  @Test func `a finished digest starts anew`() throws {
    let digest = try Digest(.sha256)
    digest.update(Data("abc".utf8))
    let first = try digest.finish()
    digest.update(Data("abc".utf8))
    #expect(try digest.finish() == first)
  }

  @Test func `algorithms are found by the names of RFC 9530 in any case`() {
    #expect(DigestAlgorithm(name: "SHA-256") == .sha256)
    #expect(DigestAlgorithm(name: "sha-1") == nil)
  }
}
