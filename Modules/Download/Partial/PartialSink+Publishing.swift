import CurlewCore
import CurlewStorage
import FoundationEssentials
import HTTPTypes

extension PartialSink {
  /// Makes a complete file durable and passes it to `Options.willPublish`.
  func announce(_ file: PartialFile, _ path: String, _ digest: ExpectedDigest?) async throws {
    guard let willPublish = options.willPublish else { return }
    let status = try await onDisk { try file.settle() }
    let finished = VerifiedFile(
      path: path, identity: status.identity, length: status.length, modified: status.modified,
      modifiedNanoseconds: status.modifiedNanoseconds, digest: digest)
    try await willPublish(finished)
  }

  /// Returns the error for a response that ended before the file was complete.
  static func truncated(_ cause: (any Error)?) -> NetworkError {
    NetworkError(
      .truncatedBody, stage: .receivingBody, message: "The server sent less of the file than is missing.",
      underlying: cause)
  }
}

extension ResponseHead {
  /// The `Last-Modified` date in seconds since 1970; nil if absent or invalid.
  var lastModified: Int64? {
    headerFields[.lastModified].flatMap { HTTPDate($0, now: .anchor) }?.secondsSince1970
  }
}
