import CurlewDownload
import FoundationEssentials

/// The digests of files, as the program `sha256sum` writes them: on each line a digest, two spaces, and a name.
struct DigestList {
  /// A line that is not such a line.
  struct Malformed: Error, CustomStringConvertible {
    /// The number of the line, from 1.
    let line: Int

    var description: String { "line \(line) of the digests is not a SHA-256 in hexadecimal, two spaces, and a name" }
  }

  private let digests: [String: ExpectedDigest]

  /// - Throws: `Malformed`: a line that was skipped would leave its file unchecked.
  init(_ text: String) throws(Malformed) {
    var digests: [String: ExpectedDigest] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
    where !line.isEmpty {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let mark = parts[1].first, mark == " " || mark == "*", parts[1].count > 1,
        let digest = try? ExpectedDigest("sha-256:\(parts[0])")
      else { throw Malformed(line: index + 1) }
      // The second space, or the star of a file that was read as binary.
      digests[String(parts[1].dropFirst())] = digest
    }
    self.digests = digests
  }

  subscript(name: String) -> ExpectedDigest? { digests[name] }
}
