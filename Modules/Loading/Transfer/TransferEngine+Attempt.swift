import CurlewCore

extension TransferEngine {
  /// Makes one attempt and reports how it went.
  func attempt(_ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange) async {
    let contact = ServerContact()
    let result: AttemptResult
    do {
      result = .success(try await load(number, reason, handle, exchange, contact))
    } catch {
      result = .failure(error)
    }
    handle.end()
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

  private func load(
    _ number: Int, _ reason: AttemptReason, _ handle: AttemptHandle, _ exchange: Exchange, _ contact: ServerContact
  ) async throws -> AnyValue {
    let (found, previous, userInfo) = state.withLock { state in
      (state.plan, state.attempts.dropLast().last, state.userInfo)
    }
    guard let plan = found else { throw CancellationError() }
    let context = AttemptContext(number: number, reason: reason, previous: previous)
    try await handle.pass()
    var request = try await plan.request(context)
    request.options.delivery = request.options.delivery ?? plan.sink.delivery
    if let policy = plan.retry {
      request.options.isIdempotent = request.options.isIdempotent ?? loader.options.isIdempotent
      carryKey(policy, in: &request)
    }
    note(number) { [request] in $0.request = request }
    announce(request)
    try await handle.pass()

    let observer = request.body.isEmpty ? nil : UploadObserver(upload, clock)
    let own = exchange.derived(attempt: number) { settings in
      settings.userInfo = userInfo
      if let observer { settings.observers.append(observer) }
      // Others are repeated whatever happened.
      if plan.retry != nil, !request.isIdempotent { settings.observers.append(contact) }
    }
    handle.send(request)
    let response = try await loader.attempt(request, in: own)
    handle.attach(response.body)
    state.withLock { state in
      // What a cancelled attempt still learns does not change what is over.
      guard state.outcome == nil else { return }
      state.response = response.head
      state.note(number) { $0.response = response.head }
    }
    try await handle.pass()

    let writer = try await accept(response, request, context, plan)
    let content = try await take(response, into: writer, number, handle)
    try await handle.pass()
    let value = try await plan.decode(
      TransferResult(head: response.head, content: content, trailers: response.body.trailers))
    try await handle.pass()
    return value
  }

  /// Validates the head and opens the sink; a refusal carries the start of the body.
  private func accept(
    _ response: Response, _ request: Request, _ context: AttemptContext,
    _ plan: TransferPlan
  ) async throws -> any TransferWriter {
    do {
      try await plan.validate?(response.head, request)
      do {
        return try await plan.sink.open(response.head, context)
      } catch {
        throw AttemptPump.failure(error)
      }
    } catch let error as NetworkError where error.isRefusal && error.details.responseBody == nil {
      let refusal = await error.withStart(of: response.body, upTo: plan.errorBodyLimit)
      throw refusal.with { details in
        details.request = details.request ?? request
        details.response = details.response ?? response.head
      }
    }
  }

  /// Lets the body flow into the writer.
  private func take(
    _ response: Response, into writer: any TransferWriter, _ number: Int, _ handle: AttemptHandle
  ) async throws -> TransferContent {
    let offset = max(0, writer.offset)
    let announced = response.head.expectedLength.map { $0.addingReportingOverflow(offset).partialValue }
    download.begin(at: offset, total: writer.total ?? announced, now: clock.now)
    let pump = AttemptPump(writer, handle, download, clock)
    do {
      try await response.body.drain(into: pump)
      handle.detach()
      note(number) { $0.bytesReceived = pump.bytes }
      try await handle.pass()
    } catch {
      note(number) { $0.bytesReceived = pump.bytes }
      await writer.abandon()
      throw AttemptPump.failure(error)
    }
    do {
      return try await writer.finish()
    } catch {
      throw AttemptPump.failure(error)
    }
  }

  private func note(_ number: Int, _ change: (inout TransferAttempt) -> Void) {
    state.withLock { $0.note(number, change) }
  }

  /// Whether a paused transfer may forget the failure and begin anew when it is resumed.
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
  /// Whether a response was refused for what its head says.
  var isRefusal: Bool { kind == .unacceptableStatus || kind == .unacceptableContentType }
}
