import CurlewRequests

/// The limits of every batch store.
public enum BatchLimits {
  /// The most bytes of UTF-8 in the name of an item, a job or a host.
  public static let nameBytes = 1_024
  /// The most bytes of an item's input, and of a note.
  public static let inputBytes = 1 << 20
  /// The most bytes of the output of a job.
  public static let outputBytes = 64 << 10
  /// The most dependencies of one item.
  public static let dependencies = 10_000
  /// The most items in one call of `BatchStore.add`.
  public static let itemsPerCall = 1_000_000
}

extension BatchItem {
  /// Checks the item against `BatchLimits`; stores call it before they add an item.
  ///
  /// - Throws: `BatchError` of kind `invalidItem`, which names the item and what is wrong with it.
  public func check() throws(BatchError) {
    try Self.check(name, "name", of: name)
    try Self.check(job.rawValue, "job", of: name)
    if let host { try Self.check(host, "host", of: name) }
    if input.count > BatchLimits.inputBytes {
      throw BatchError(
        .invalidItem, item: name, "its input has \(input.count) bytes; at most \(BatchLimits.inputBytes) are allowed")
    }
    if dependencies.count > BatchLimits.dependencies {
      throw BatchError(
        .invalidItem, item: name,
        "it has \(dependencies.count) dependencies; at most \(BatchLimits.dependencies) are allowed")
    }
    if let expectedBytes, expectedBytes < 0 {
      throw BatchError(.invalidItem, item: name, "its expected bytes are \(expectedBytes); a length is 0 or more")
    }
  }

  private static func check(_ text: String, _ what: String, of item: String) throws(BatchError) {
    let length = text.utf8.count
    guard length >= 1, length <= BatchLimits.nameBytes else {
      throw BatchError(
        .invalidItem, item: item, "its \(what) has \(length) bytes; 1 to \(BatchLimits.nameBytes) are allowed")
    }
    guard !text.utf8.contains(0) else { throw BatchError(.invalidItem, item: item, "its \(what) contains a NUL byte") }
  }
}
