import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

@testable import CurlewDownload

/// A file at a server in two versions, and downloads of it that replace what is there.
enum TwoVersions {
  static let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")
  static let old = SeededResource(length: 30_000, seed: 1).bytes(count: 30_000)
  static let new = SeededResource(length: 27_000, seed: 2).bytes(count: 27_000)

  static func bytes(isNew: Bool) -> [UInt8] { isNew ? new : old }

  /// The version that some kept bytes belong to; nil for none.
  static func bytes(of validator: EntityValidator?) -> [UInt8]? {
    switch validator {
    case .entityTag("new"): new
    case .entityTag("old"): old
    default: nil
    }
  }

  /// Answers ranges of a version, and the whole of it, with a strong tag; cuts a body where it is told to.
  ///
  /// - Parameter announcesLength: Whether a response with the whole says how long it is.
  static func origin(isNew: Bool, cut: Int? = nil, announcesLength: Bool = true) -> StubTransport {
    let (bytes, tag) = (bytes(isNew: isNew), isNew ? "\"new\"" : "\"old\"")
    return StubTransport { asked in
      let offset = asked.request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) }
      let isSame = asked.request.headerFields[.ifRange] == tag
      if let offset, isSame, offset >= bytes.count {
        return StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */\(bytes.count)", .eTag: tag])
      }
      let start = isSame ? offset ?? 0 : 0
      var fields: HTTPFields = [.eTag: tag, .contentLength: "\(bytes.count - start)"]
      if start > 0 { fields[.contentRange] = "bytes \(start)-\(bytes.count - 1)/\(bytes.count)" }
      let end = min(bytes.count, start + (cut ?? bytes.count))
      var steps = stride(from: start, to: end, by: 4_096).map {
        StubAnswer.Step.bytes(Data(bytes[$0..<min(end, $0 + 4_096)]))
      }
      if end < bytes.count {
        steps.append(.failure(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")))
      }
      if !announcesLength { fields[.contentLength] = nil }
      var answer = StubAnswer(start > 0 ? .partialContent : .ok, headerFields: fields, body: steps)
      answer.announcesLength = announcesLength
      return answer
    }
  }

  /// A download of a version that makes no second attempt.
  static func download(
    isNew: Bool, cut: Int? = nil, announcesLength: Bool = true, on disk: DownloadDisk,
    _ change: (inout PartialSink.Options) -> Void = { _ in }
  ) -> Downloader {
    var configuration = DownloadConfiguration(Request(.get, url), to: .file(Site.path))
    configuration.retry = nil
    configuration.file.collision = .replace
    configuration.file.durableBytes = 8_192
    change(&configuration.file)
    let origin = origin(isNew: isNew, cut: cut, announcesLength: announcesLength)
    return Downloader(Loader(origin), configuration, on: disk)
  }
}

extension Transfer where Value == DownloadResult {
  /// Starts it and waits for how it ends.
  var outcomeOfRun: TransferOutcome<DownloadResult> {
    get async {
      start()
      await settled()
      return outcome ?? .cancelled
    }
  }
}
