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
    let request = announced(try await plan.request(context), number, plan)
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
      beginProgress(at: offset, total: writer.total ?? offset)
      body.cancel()
      handle.detach()
      return try await finish(writer, number)
    }
    beginProgress(
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

extension NetworkError {
  /// Whether a response was rejected because of its head.
  var isRefusal: Bool { kind == .unacceptableStatus || kind == .unacceptableContentType }
}
