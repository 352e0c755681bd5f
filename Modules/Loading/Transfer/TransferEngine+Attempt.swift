import CurlewCore

// The parts of an attempt are not inlined: a small frame of the attempt's task needs no memory of its own size.
extension TransferEngine {
  /// Makes one attempt and reports its result.
  nonisolated(nonsending) func attempt(
    _ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange
  ) async {
    let contact = hasPolicy ? ServerContact() : nil
    do {
      try await load(number, reason, handle, exchange, contact)
      handle.end()
      succeed(number)
    } catch {
      handle.end()
      fail(number, error, contact)
    }
  }

  private nonisolated(nonsending) func load(
    _ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange, _ contact: ServerContact?
  ) async throws {
    let (plan, context) = try beginning(number, reason)
    if try handle.mustWait() { try await handle.waitWhilePaused() }
    let asked = try await plan.sink.prepare(try await plan.request(context), context)
    let request = completed(asked, number, plan)
    if try handle.mustWait() { try await handle.waitWhilePaused() }

    // Idempotent requests are repeated in any case.
    let observedContact = request.isIdempotent ? nil : contact
    let own = ownExchange(exchange, number, handle, sendsBody: !request.body.isEmpty, observedContact)
    handle.send(request)
    let response = try await loader.attempt(request, in: own)
    receive(response, number, handle)
    if try handle.mustWait() { try await handle.waitWhilePaused() }

    let writer = try await accept(response, request, context, plan)
    let content = try await take(response.body, response.head.expectedLength, into: writer, number, handle)
    if try handle.mustWait() { try await handle.waitWhilePaused() }
    try await plan.decode(TransferResult(head: response.head, content: content, trailers: response.body.trailers))
    if try handle.mustWait() { try await handle.waitWhilePaused() }
  }

  /// Validates the head and opens the sink; a rejection keeps the start of the body.
  private nonisolated(nonsending) func accept(
    _ response: Response, _ request: Request, _ context: AttemptContext,
    _ plan: TransferPlan
  ) async throws -> any TransferWriter {
    do {
      try await plan.validate?(response.head, request)
      do {
        return try await plan.sink.open(response.head, context)
      } catch {
        noteSinkFailure(context.number)
        throw error
      }
    } catch {
      throw await withStart(of: response, request, plan, error)
    }
  }

  /// Returns the error of a rejected head with the start of the body; other errors stay as they are.
  private nonisolated(nonsending) func withStart(
    of response: Response, _ request: Request, _ plan: TransferPlan, _ error: any Error
  ) async -> any Error {
    guard let error = error as? NetworkError, error.isRefusal, error.details.responseBody == nil else { return error }
    let refusal = await error.withStart(of: response.body, upTo: plan.errorBodyLimit)
    return refusal.with { details in
      details.request = details.request ?? request
      details.response = details.response ?? response.head
    }
  }

  /// Passes the body to the writer.
  private nonisolated(nonsending) func take(
    _ body: ResponseBody, _ announced: Int64?, into writer: any TransferWriter, _ number: Int, _ handle: AttemptHandle
  ) async throws -> TransferContent {
    let offset = max(0, writer.offset)
    guard writer.wantsBody else {
      download.begin(at: offset, total: writer.total ?? offset)
      body.cancel()
      handle.detach()
      return try await finish(writer, number)
    }
    download.begin(
      at: offset, total: writer.total ?? announced.map { $0.addingReportingOverflow(offset).partialValue })
    let pump = AttemptPump(writer, handle, download)
    do {
      try await body.pass(to: pump)
      handle.detach()
      note(number, pump, offset)
      if try handle.mustWait() { try await handle.waitWhilePaused() }
    } catch {
      note(number, pump, offset)
      await writer.abandon()
      throw pump.failure ?? error
    }
    if let trailers = body.trailers { writer.receive(trailers: trailers) }
    return try await finish(writer, number)
  }

  private nonisolated(nonsending) func finish(
    _ writer: any TransferWriter, _ number: Int
  ) async throws -> TransferContent {
    do {
      return try await writer.finish()
    } catch {
      noteSinkFailure(number)
      throw error
    }
  }
}

/// The steps of an attempt that wait for nothing.
///
/// They are not inlined: their variables would lie in the frame of the attempt's task until its end.
extension TransferEngine {
  /// Returns what an attempt begins with.
  func beginning(_ number: Int, _ reason: AttemptReason) throws -> (TransferPlan, AttemptContext) {
    let (plan, previous) = state.withLock { ($0.plan, number > 1 ? $0.attempts.dropLast().last : nil) }
    guard let plan else { throw CancellationError() }
    return (plan, AttemptContext(number, reason, previous, previous == nil ? nil : newBody(plan)))
  }

  /// Returns the hook that provides another body; nil if the app has set no such hook.
  func newBody(_ plan: TransferPlan) -> AttemptContext.NewBody? {
    (plan.settings ?? loader.sharedSettings).settings.hooks.newBody
  }

  /// Completes the request of an attempt, and reports it.
  func completed(_ request: Request, _ number: Int, _ plan: TransferPlan) -> Request {
    var request = request
    request.options.delivery = request.options.delivery ?? plan.sink.delivery
    if let policy = plan.retry {
      request.options.isIdempotent = request.options.isIdempotent ?? loader.options.isIdempotent
      carryKey(policy, in: &request)
    }
    note(number) { [request] in $0.request = request }
    announce(request)
    return request
  }

  /// Records the head of an attempt, and ends the progress of the upload before the head is handed over.
  func receive(_ response: Response, _ number: Int, _ handle: AttemptHandle) {
    handle.attach(response.body)
    let (isOver, upload) = state.withLock { state -> (Bool, ProgressBoard?) in
      // Late results of a cancelled attempt do not change the outcome.
      guard state.outcome == nil else { return (true, nil) }
      state.note(number) { $0.response = response.head }
      return (false, state.upload)
    }
    upload?.respond()
    if !isOver { boards?.respond() }
  }

  /// Returns the exchange of an attempt.
  func ownExchange(
    _ exchange: Exchange, _ number: Int, _ handle: AttemptHandle, sendsBody: Bool, _ contact: ServerContact?
  ) -> Exchange {
    let userInfo = state.withLock { $0.hasNewUserInfo ? $0.userInfo : nil }
    guard userInfo != nil || sendsBody || contact != nil else {
      // The first attempt's signal is already in the exchange.
      return number == 1 ? exchange : exchange.attempt(number, pausedBy: handle.signal)
    }
    return exchange.attempt(number, pausedBy: handle.signal) { [self] settings in
      if let userInfo { settings.userInfo = userInfo }
      if sendsBody { settings.observers.append(UploadObserver(upload)) }
      if let contact { settings.observers.append(contact) }
    }
  }

  /// Reports the success of an attempt.
  func succeed(_ number: Int) {
    if asksAfterSuccess { reportProgress(of: number) }
    let now = clock.now
    note(number) { attempt in
      attempt.ended = now
      attempt.maybeProcessed = true
    }
    send(.succeeded(number), result: .success(()))
  }

  /// Reports the failure of an attempt.
  func fail(_ number: Int, _ error: any Error, _ contact: ServerContact?) {
    reportProgress(of: number)
    let now = clock.now
    let asked = state.withLock { state in state.attempts.last { $0.number == number }?.request }
    let error = asked.map { request in (error as? NetworkError)?.naming(request) ?? error } ?? error
    let request = state.withLock { state in
      state.note(number) { attempt in
        guard attempt.ended == nil else { return }
        attempt.ended = now
        attempt.error = error
        attempt.maybeProcessed = attempt.mayHaveBeenProcessed(wasAnswered: contact?.hasAnswered ?? false)
      }
      return state.attempts.last { $0.number == number }?.request
    }
    if error is CancellationError {
      send(.withdrawn(number))
    } else {
      send(.failed(number, restartable: Self.isRestartable(error, request)), result: .failure(error))
    }
  }

  /// Marks the error of an attempt, which is thrown unchanged, as its sink's own.
  func noteSinkFailure(_ number: Int) { note(number) { $0.isSinkFailure = true } }

  /// Records how far an attempt has come.
  func note(_ number: Int, _ pump: AttemptPump, _ offset: Int64) {
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

  /// Reports received bytes to the machine, which counts retries and restarts.
  private func reportProgress(of number: Int) {
    guard let attempt = state.withLock({ $0.attempts.last }), attempt.number == number, attempt.bytesReceived > 0
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
