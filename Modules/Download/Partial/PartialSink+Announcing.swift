public import CurlewCore

/// A downloaded file that is complete and checked, and about to appear under its name.
public struct CompleteDownload: Sendable, Hashable, Codable {
  /// The path that it is to get; where files are numbered, it may get another one.
  public var path: String
  /// How many bytes it has.
  public var length: Int64
  /// Identifies the file, now and under its name.
  public var identity: FileIdentity

  /// Creates a value, for tests of whoever is told.
  public init(path: String, length: Int64, identity: FileIdentity) {
    self.path = path
    self.length = length
    self.identity = identity
  }
}

extension PartialSink {
  /// Tells the app that a file is about to appear.
  func announce(_ file: PartialFile, _ path: String) async throws {
    guard let willPublish = options.willPublish else { return }
    let complete = try await onDisk { () -> CompleteDownload? in
      try file.file.map { CompleteDownload(path: path, length: file.length, identity: try $0.status().identity) }
    }
    guard let complete else { throw CancellationError() }
    try await willPublish(complete)
  }
}
