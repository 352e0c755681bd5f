import CurlewCore
import CurlewStorage
import FoundationEssentials
import HTTPTypes

extension PartialSink {
  /// Tells `Options.willPublish` of a file that is complete, checked and durable.
  func announce(_ file: PartialFile, _ path: String, _ digest: ExpectedDigest?) async throws {
    guard let willPublish = options.willPublish else { return }
    let status = try await onDisk { try file.settle() }
    let finished = FinishedPartial(
      path: path, identity: status.identity, length: status.length, modified: status.modified, digest: digest)
    try await willPublish(finished)
  }

  /// Makes the error of a response that is over before the file is complete.
  static func truncated(_ cause: (any Error)?) -> NetworkError {
    NetworkError(
      .truncatedBody, stage: .receivingBody, message: "The server sent less of the file than is missing.",
      underlying: cause)
  }
}

extension ResponseHead {
  /// The time of the last change, in seconds since 1970; nil when the server does not say.
  var lastModified: Int64? {
    headerFields[.lastModified].flatMap { HTTPDate($0, now: .anchor) }?.secondsSince1970
  }
}
