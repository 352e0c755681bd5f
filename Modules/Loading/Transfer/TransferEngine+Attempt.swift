import CurlewCore

extension TransferEngine {
  /// Makes one attempt and reports its result.
  nonisolated(nonsending) func attempt(
    _ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange
  ) async {
    let contact = ServerContact()
    let result: AttemptResult
    do {
      try await load(number, reason, handle, exchange, contact)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    handle.end()
    reportProgress(of: number)
    let now = clock.now
    switch result {
    case .success:
      note(number) { attempt in
        attempt.ended = now
        attempt.maybeProcessed = true
      }
      send(.succeeded(number), result: result)
    case .failure(let error):
      let request = state.withLock { state in
        state.note(number) { attempt in
          guard attempt.ended == nil else { return }
          attempt.ended = now
          attempt.error = error
          attempt.maybeProcessed = contact.mayHaveProcessed(attempt)
        }
        return state.attempts.last { $0.number == number }?.request
      }
      if error is CancellationError {
        send(.withdrawn(number))
      } else {
        send(.failed(number, restartable: Self.isRestartable(error, request)), result: result)
      }
    }
  }

  private nonisolated(nonsending) func load(
    _ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange, _ contact: ServerContact
  ) async throws {
    let (found, previous, userInfo) = state.withLock { state in
      (state.plan, number > 1 ? state.attempts.dropLast().last : nil, state.hasNewUserInfo ? state.userInfo : nil)
    }
    guard let plan = found else { throw CancellationError() }
    let context = AttemptContext(number: number, reason: reason, previous: previous)
    try await handle.waitWhilePaused()
    var request = try await plan.request(context)
    request.options.delivery = request.options.delivery ?? plan.sink.delivery
    if let policy = plan.retry {
      request.options.isIdempotent = request.options.isIdempotent ?? loader.options.isIdempotent
      carryKey(policy, in: &request)
    }
    note(number) { [request] in $0.request = request }
    announce(request)
    try await handle.waitWhilePaused()

    let observer = request.body.isEmpty ? nil : UploadObserver(upload, clock)
    // Idempotent requests are repeated in any case.
    let watchesContact = plan.retry != nil && !request.isIdempotent
    let change = { (settings: inout ExchangeSettings) in
      if let userInfo { settings.userInfo = userInfo }
      if let observer { settings.observers.append(observer) }
      if watchesContact { settings.observers.append(contact) }
    }
    let isChanged = userInfo != nil || observer != nil || watchesContact
    let own = exchange.attempt(number, pausedBy: handle.signal, isChanged ? change : nil)
    handle.send(request)
    let response = try await loader.attempt(request, in: own)
    handle.attach(response.body)
    state.withLock { state in
      // Late results of a cancelled attempt do not change the outcome.
      guard state.outcome == nil else { return }
      state.response = response.head
      state.note(number) { $0.response = response.head }
    }
    try await handle.waitWhilePaused()

    let writer = try await accept(response, request, context, plan)
    let content = try await take(response, into: writer, number, handle)
    try await handle.waitWhilePaused()
    try await plan.decode(TransferResult(head: response.head, content: content, trailers: response.body.trailers))
    try await handle.waitWhilePaused()
  }

  /// Validates the head and opens the sink; a rejection keeps the start of the body.
  private nonisolated(nonsending) func accept(
    _ response: Response, _ request: Request, _ context: AttemptContext,
    _ plan: TransferPlan
  ) async throws -> any TransferWriter {
    do {
      try await plan.validate?(response.head, request)
      return try await ofSink(context.number) { try await plan.sink.open(response.head, context) }
    } catch let error as NetworkError where error.isRefusal && error.details.responseBody == nil {
      let refusal = await error.withStart(of: response.body, upTo: plan.errorBodyLimit)
      throw refusal.with { details in
        details.request = details.request ?? request
        details.response = details.response ?? response.head
      }
    }
  }

  /// Passes the body to the writer.
  private nonisolated(nonsending) func take(
    _ response: Response, into writer: any TransferWriter, _ number: Int, _ handle: AttemptHandle
  ) async throws -> TransferContent {
    let offset = max(0, writer.offset)
    guard writer.wantsBody else {
      download.begin(at: offset, total: writer.total ?? offset, now: clock.now)
      response.body.cancel()
      handle.detach()
      return try await ofSink(number) { try await writer.finish() }
    }
    let announced = response.head.expectedLength.map { $0.addingReportingOverflow(offset).partialValue }
    download.begin(at: offset, total: writer.total ?? announced, now: clock.now)
    let pump = AttemptPump(writer, handle, download, clock)
    do {
      try await response.body.drain(into: pump)
      handle.detach()
      note(number, pump, offset)
      try await handle.waitWhilePaused()
    } catch {
      note(number, pump, offset)
      await writer.abandon()
      throw pump.failure ?? error
    }
    if let trailers = response.body.trailers { writer.receive(trailers: trailers) }
    return try await ofSink(number) { try await writer.finish() }
  }

  /// Marks an error as the sink's own, and throws it unchanged.
  private nonisolated(nonsending) func ofSink<Result>(
    _ number: Int, _ call: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    do {
      return try await call()
    } catch {
      note(number) { $0.isSinkFailure = true }
      throw error
    }
  }

  /// Records how far an attempt has come.
  private func note(_ number: Int, _ pump: AttemptPump, _ offset: Int64) {
    let (bytes, failed) = (pump.bytes, pump.failure != nil)
    state.withLock { state in
      let end = offset.addingReportingOverflow(bytes).partialValue
      let isNews = bytes > 0 && end > state.furthest
      if isNews { state.furthest = end }
      state.note(number) { attempt in
        attempt.bytesReceived = bytes
        attempt.madeProgress = isNews
        attempt.isSinkFailure = failed
      }
    }
  }

  /// Reports received bytes to the machine, if someone decides about retries.
  private func reportProgress(of number: Int) {
    guard asks, let attempt = state.withLock({ $0.attempts.last }), attempt.number == number, attempt.bytesReceived > 0
    else { return }
    send(.received(number, isNews: attempt.madeProgress))
  }

  private func note(_ number: Int, _ change: (inout TransferAttempt) -> Void) {
    state.withLock { $0.note(number, change) }
  }

  /// Returns whether a paused transfer may ignore the failure and start over.
  static func isRestartable(_ error: any Error, _ request: Request?) -> Bool {
    guard let error = error as? NetworkError, let request else { return false }
    switch error.kind {
    case .connectionLost, .idleTimedOut, .timedOut, .truncatedBody, .bufferLimitExceeded, .streamReset:
      return request.isIdempotent && request.body.isReplayable
    default: return false
    }
  }
}

extension NetworkError {
  /// Whether a response was rejected because of its head.
  var isRefusal: Bool { kind == .unacceptableStatus || kind == .unacceptableContentType }
}
