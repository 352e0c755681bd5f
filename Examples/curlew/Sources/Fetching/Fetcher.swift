import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Fetches one URL after another over one loader.
struct Fetcher: Sendable {
  let loader: Loader
  /// Settings for a request's exchange.
  let settings: @Sendable (Request) -> ExchangeSettings
  /// Whether the head goes to standard output before the body.
  var printsHead = false
  /// The most bytes of a body; nil is no limit.
  var maxSize: Int64?
  /// Whether results are hashed.
  var hashes = false

  private let turns = OutputTurns()
  private let names = NameTable()

  init(loader: Loader, settings: @escaping @Sendable (Request) -> ExchangeSettings) {
    self.loader = loader
    self.settings = settings
  }

  /// Fetches; never throws, since a failure is a result too.
  func fetch(_ fetch: Fetch, meter: TransferMeter) async -> FetchResult {
    let redirects = RedirectCount()
    var settings = settings(fetch.request)
    settings.observers.append(redirects)
    let exchange = Exchange(settings)
    let begin = ContinuousClock.now
    var result = FetchResult(fetch: fetch)
    do {
      try await carry(fetch, exchange, meter, &result)
    } catch {
      result.failure = FetchFailure(error)
    }
    await turns.done(fetch.index)
    result.metrics = exchange.metrics
    result.redirects = redirects.value
    result.bytes = result.failure == nil || result.file != nil ? meter.completed : 0
    result.duration = begin.duration(to: .now)
    return result
  }

  private func carry(
    _ fetch: Fetch, _ exchange: Exchange, _ meter: TransferMeter, _ result: inout FetchResult
  ) async throws {
    let response = try await loader.load(fetch.request, in: exchange)
    result.head = response.head
    let isRefused = response.head.status.code >= 400
    if printsHead || fetch.destination == .standardOutput { await turns.wait(for: fetch.index) }
    if printsHead { try StandardOutput.write(response.head.text) }
    if let maxSize, let expected = response.head.expectedLength, expected > maxSize {
      throw BodyConsumer.tooLarge(maxSize)
    }
    meter.begin(expecting: response.head.expectedLength)
    switch fetch.destination {
    case .standardOutput:
      result.digest = try await print(response.body, meter)
    case .file where isRefused, .directory where isRefused:
      await response.body.discard()
    case .file(let path):
      result.digest = try await store(response.body, in: TargetFile(path), meter, &result)
    case .directory(let directory):
      try LocalFileSystem().createDirectory(directory)
      let path = names.path(in: directory, for: response.head.suggestedFileName)
      result.digest = try await store(response.body, in: TargetFile(path), meter, &result)
    }
    if isRefused { throw FetchFailure(status: response.head) }
  }

  private func print(_ body: ResponseBody, _ meter: TransferMeter) async throws -> String? {
    let consumer = try BodyConsumer(meter: meter, limit: maxSize, hashing: hashes) { bytes in
      try StandardOutput.write(bytes)
    }
    try await pull(body, into: consumer)
    return consumer.finish()
  }

  private func store(
    _ body: ResponseBody, in file: TargetFile, _ meter: TransferMeter, _ result: inout FetchResult
  ) async throws -> String? {
    let consumer = try BodyConsumer(meter: meter, limit: maxSize, hashing: hashes) { bytes in try file.write(bytes) }
    do {
      // A pipe may wait for its reader, which the transport's thread must not.
      if file.isSpecial { try await pull(body, into: consumer) } else { try await body.drain(into: consumer) }
      try file.publish()
    } catch {
      file.discard()
      throw error
    }
    result.file = file.path
    return consumer.finish()
  }

  private func pull(_ body: ResponseBody, into consumer: BodyConsumer) async throws {
    for try await chunk in body {
      try chunk.withUnsafeBytes { bytes in _ = try consumer.receive(bytes) }
    }
  }
}
