import CurlewDownload
import FoundationEssentials

/// The identifiers of partial files that the unfinished downloads of a manager use.
///
/// A download into a directory has no file name until its response arrives; its URL identifies its bytes. Two downloads of one
/// URL into one directory would share a partial file, and the second would fail. The second one therefore gets the first free
/// number as part of its identifier. The numbers are the same in each process, so a later download still finds the bytes of an
/// earlier one.
struct FileReservations: Sendable {
  private var reservations: [PartialKey: Int] = [:]

  /// Claims the partial file of a new download.
  ///
  /// - Parameter isResumed: Whether resume data name the bytes, so that only these will do.
  /// - Returns: The target, perhaps with another identifier, and what to release at the end; nil if a path identifies it.
  mutating func claim(_ target: DownloadTarget, for url: URL, isResumed: Bool) -> (DownloadTarget, PartialKey?) {
    guard let key = target.partialKey(for: url) else { return (target, nil) }
    // The app's own identifier and that of resume data say which bytes are meant.
    guard !isResumed, target.identifier == nil, reservations[key] != nil else {
      reservations[key, default: 0] += 1
      return (target, key)
    }
    var number = 2
    while true {
      let numbered = target.identified(by: "\(key.identifier)#\(number)")
      if let key = numbered.partialKey(for: url), reservations[key] == nil {
        reservations[key] = 1
        return (numbered, key)
      }
      number += 1
    }
  }

  /// Releases what a download has claimed.
  mutating func release(_ key: PartialKey) {
    guard let count = reservations[key] else { return }
    reservations[key] = count == 1 ? nil : count - 1
  }
}
