import CurlewDownload
import FoundationEssentials

/// The digests of files, as the program `sha256sum` writes them: on each line a digest, two spaces, and a name.
struct DigestList {
  private let digests: [String: ExpectedDigest]

  init(_ text: String) {
    var digests: [String: ExpectedDigest] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let digest = ExpectedDigest("sha-256:\(parts[0])") else { continue }
      // The second space, or the star of a file that was read as binary.
      digests[String(parts[1].dropFirst())] = digest
    }
    self.digests = digests
  }

  subscript(name: String) -> ExpectedDigest? { digests[name] }
}
