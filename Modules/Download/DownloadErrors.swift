public import CurlewCore
import CurlewDigests
import CurlewLoading
import CurlewStorage
import FoundationEssentials
import Glibc

extension NetworkError.Kind {
  /// The digest of the bytes differs from the expected one; they were removed.
  public static let digestMismatch = NetworkError.Kind(rawValue: "digest-mismatch")
  /// The file on the server is no longer the one whose bytes are kept.
  public static let entityChanged = NetworkError.Kind(rawValue: "entity-changed")
  /// Another file has the target's name; it was not changed.
  public static let targetExists = NetworkError.Kind(rawValue: "target-exists")
  /// Another download is writing the file, in this or another process.
  public static let targetInUse = NetworkError.Kind(rawValue: "target-in-use")
}

/// Creates the errors of downloads.
enum DownloadError {
  /// The error for a useless range: the whole file must be requested.
  struct Useless: RestartingCause, Hashable {
    let reason: ResumePlan.Reason
  }

  /// The error for a response that is complete but not the whole file.
  ///
  /// The rest must be requested.
  struct Unfinished: RestartingCause, Hashable {}

  static func useless(_ reason: ResumePlan.Reason, _ head: ResponseHead) -> NetworkError {
    let kind: NetworkError.Kind = reason == .changed || reason == .unproven ? .entityChanged : .protocolViolation
    return NetworkError(
      kind, stage: .validating, message: "The answer to a request for the rest of a file \(reason.rawValue).",
      underlying: Useless(reason: reason)
    ).with { $0.response = head }
  }

  static func refused(_ refusal: ResumePlan.Refusal, _ head: ResponseHead) -> NetworkError {
    let (kind, message, advice): (NetworkError.Kind, String, String?) =
      switch refusal {
      case .status: (.unacceptableStatus, "The server answered \(head.status.words).", nil)
      case .unaskedRange:
        (.protocolViolation, "The server sent a part of the file although the whole was asked for.", nil)
      case .coded:
        (
          .contentDecodingFailed,
          "The file came compressed although it was asked for as it is.",
          "Put ContentDecoding into the loader's chain."
        )
      case .changed: (.entityChanged, "The fresh link leads to another file than the one whose bytes are kept.", nil)
      }
    return NetworkError(kind, stage: .validating, message: message, advice: advice).with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }

  /// Returns the error of an app for one of the disk.
  ///
  /// - Parameters:
  ///   - path: The file that is written; nil if it is not known yet.
  ///   - hasDirectory: Whether the directory of the file is known to exist.
  static func disk(_ error: any Error, _ path: String?, hasDirectory: Bool = false) -> any Error {
    switch error {
    case let error as JournalError where error.kind == .inUse:
      NetworkError(
        .targetInUse, stage: .preparing,
        message: "Another download is writing \(path ?? error.path).", advice: "Wait for it, or choose another name.",
        underlying: error)
    case let error as JournalError where error.kind == .notAJournal || error.kind == .full:
      NetworkError(
        .fileError, stage: .preparing,
        message: "The state of the download in \(error.path) is damaged.",
        advice: "Move it away or remove it, and the download starts over.",
        underlying: error)
    case let error as JournalError where error.kind == .unsupportedVersion:
      NetworkError(
        .fileError, stage: .preparing,
        message:
          "The state of the download in \(error.path) was written by a later version.",
        advice: "Go on with that version, or remove it to start over.",
        underlying: error)
    case let error as JournalError where error.underlying?.code == ENOENT && !hasDirectory:
      NetworkError(
        .fileError, stage: .preparing,
        message:
          "The directory \(PartialPlace(beside: error.path).directory) does not exist.",
        advice: error.underlying?.misreading ?? "Create it, or let the download do so (`file.createsDirectories`).",
        underlying: error.underlying)
    case let error as JournalError where error.underlying?.code == ENOENT:
      NetworkError(
        .fileError, stage: .preparing,
        message:
          "The directory \(PartialPlace(beside: error.path).directory) exists, but no file can be created in it.",
        advice: "Choose another directory.", underlying: error.underlying)
    case let error as JournalError:
      NetworkError(
        .fileError, stage: .preparing,
        message: "The state of the download cannot be kept in \(PartialPlace(beside: error.path).directory): "
          + (error.underlying.map { "\($0.reason)." } ?? error.message),
        advice: error.advice,
        underlying: error.underlying ?? error)
    case let error as FileSystemError where error.code == EINVAL && ["open", "rename"].contains(error.operation):
      NetworkError(
        .fileError, stage: .preparing,
        message: "\(error.path) is not a regular file.", advice: "Give the path of one.", underlying: error)
    case let error as FileSystemError:
      NetworkError(
        .fileError, stage: .writing,
        message: "The download cannot be written to \(path ?? error.path): \(error.reason).",
        advice: error.advice.map {
          error.isDiskFull ? $0 + " If bytes are kept, the next download continues with them." : $0
        },
        underlying: error)
    default: error
    }
  }

  static func shortened(_ path: String) -> NetworkError {
    NetworkError(
      .fileError, stage: .writing,
      message: "Another program has shortened \(path).",
      advice: "Download it again: the next download goes on with what is left of it.",
      underlying: FileSystemError(code: EIO, operation: "pwrite", path: path))
  }

  static func exists(_ path: String) -> NetworkError {
    NetworkError(
      .targetExists, stage: .preparing,
      message:
        "\(path) exists.",
      advice: "Remove it, choose another name, or let the download replace it or number its name (`file.collision`).",
      underlying: FileSystemError(code: EEXIST, operation: "rename", path: path))
  }

  /// - Parameter what: What is too large.
  static func tooLarge(_ limit: Int64, _ what: String = "file") -> NetworkError {
    NetworkError(.bodyTooLarge, stage: .receivingBody, message: "The \(what) is larger than \(limit) bytes.")
  }

  static func noRoom(_ needed: Int64, _ available: Int64, _ path: String) -> NetworkError {
    let full = FileSystemError(code: ENOSPC, operation: "write", path: path)
    return NetworkError(
      .fileError, stage: .writing, message: "\(path) needs \(needed) bytes more, and the disk has \(available).",
      advice: full.advice, underlying: full)
  }

  static func mismatch(_ expected: ExpectedDigest, _ found: String) -> NetworkError {
    NetworkError(
      .digestMismatch, stage: .validating,
      message: "The file's \(expected.algorithm) is \(found), not \(expected.value.hexadecimal).",
      advice: "Check the digest: it may be that of another version of the file."
    )
  }
}
