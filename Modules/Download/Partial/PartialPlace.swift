import CurlewCore
import FoundationEssentials

/// The paths of a partial file and its journal.
///
/// Both are hidden, in the directory of the final file.
struct PartialPlace: Sendable, Hashable {
  private static let mostBytes = 255
  /// The number of bytes that a `Journal` appends to name its replacement.
  private static let journalSuffix = 4

  /// The directory.
  let directory: String
  /// The path of the partial file.
  let data: String
  /// The path of the journal, which is also the lock.
  let journal: String

  /// Creates the paths beside a file.
  init(beside path: String) {
    let start = PathText.lastName(path)
    let above = path.utf8[..<start].dropLast()
    let directory = start == path.startIndex ? "." : above.isEmpty ? "/" : String(above) ?? "."
    self.init(in: directory, named: String(path[start...]))
  }

  /// Creates the paths in a directory, for a file whose name is not known yet.
  init(in directory: String, identifier: String) {
    self.init(in: directory, named: DownloadURL.fingerprint(identifier))
  }

  private init(in directory: String, named name: String) {
    let suffixes = (data: ".curlew-part", journal: ".curlew-state")
    // A name that is too long with the suffix is replaced by its fingerprint.
    let isTooLong = 1 + name.utf8.count + suffixes.journal.utf8.count + Self.journalSuffix > Self.mostBytes
    let start = (directory == "/" ? "/." : directory + "/.") + (isTooLong ? DownloadURL.fingerprint(name) : name)
    self.directory = directory
    data = start + suffixes.data
    journal = start + suffixes.journal
  }
}
