#if Observability
public import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization
public import Tracing

/// Makes a client span for each request that is sent, and tells the server which span that is.
///
/// An observer can change no request, so it is an interceptor. Put it last among `InterceptorChain.perHop`: each attempt and each hop of a
/// redirect then has a span of its own, a child of the task's current span. A span ends with the response's body. Its attributes have the
/// names of OpenTelemetry's semantic conventions; the URL is redacted, and no field is recorded.
///
/// ```swift
/// chain.perHop.append(SpanInterceptor(tracer))
/// ```
public struct SpanInterceptor: Interceptor {
  /// Returns the W3C trace context of a span; nil if it has none.
  public typealias TraceContext = @Sendable (InstrumentationContext) -> W3CTraceContext?

  private let tracer: any Tracer
  private let traceContext: TraceContext?

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - tracer: Makes the spans.
  ///   - traceContext: The W3C trace context to send for a span. Nil lets the tracer inject the fields, as tracers for OpenTelemetry do.
  public init(_ tracer: any Tracer, traceContext: TraceContext? = nil) {
    self.tracer = tracer
    self.traceContext = traceContext
  }

  /// Sends the request inside a span.
  ///
  /// - Throws: The errors of the rest of the chain.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let redaction = exchange.settings.redaction
    let span = tracer.startAnySpan(
      HTTPAttributes.knownMethod(request.method), context: .current ?? .topLevel, ofKind: .client)
    span.describe(request, redaction)
    if exchange.attempt + exchange.hop > 1 {
      span.attributes[HTTPAttributes.resendCount] = exchange.attempt + exchange.hop - 1
    }
    var request = request
    inject(span.context, into: &request.headerFields)
    do {
      let response = try await next(request, in: exchange)
      span.describe(response.head)
      return Response(
        head: response.head, body: response.body.tapped(by: SpanEnd(span, redaction, response.head.status)))
    } catch {
      span.fail(redaction.redacted(error))
      span.end()
      throw error
    }
  }

  private func inject(_ context: InstrumentationContext, into fields: inout HTTPFields) {
    guard let traceContext else {
      tracer.inject(context, into: &fields, using: FieldInjector())
      return
    }
    guard let trace = traceContext(context) else { return }
    fields.set(trace.traceparent, "traceparent")
    if let state = trace.state { fields.set(state, "tracestate") }
  }
}

/// Puts what a tracer sends into header fields.
private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) { carrier.set(value, key) }
}

extension HTTPFields {
  /// Sets a field, unless its name or value cannot be sent.
  fileprivate mutating func set(_ value: String, _ name: String) {
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return }
    self[name] = value
  }
}

/// Ends a span with the body, once.
private final class SpanEnd: BodyTap {
  private let span: any Span
  private let redaction: Redaction
  private let status: HTTPResponse.Status
  private let isOver = Mutex(false)

  init(_ span: any Span, _ redaction: Redaction, _ status: HTTPResponse.Status) {
    self.span = span
    self.redaction = redaction
    self.status = status
  }

  func ended(by error: (any Error)?) async { end(error) }
  /// Nobody reads the body of a redirect: whether it is followed or refused, the exchange that the span describes succeeded.
  func cancelled() { end(status.kind == .redirection ? nil : CancellationError()) }

  private func end(_ error: (any Error)?) {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    if let error { span.fail(redaction.redacted(error)) }
    span.end()
  }
}

extension Span {
  /// Sets the attributes that are known before the request is sent.
  fileprivate func describe(_ request: Request, _ redaction: Redaction) {
    updateAttributes { attributes in
      let known = HTTPAttributes.knownMethod(request.method)
      attributes[HTTPAttributes.method] = known
      if known != request.method.rawValue { attributes[HTTPAttributes.originalMethod] = request.method.rawValue }
      attributes[HTTPAttributes.url] = redaction.redacted(request.url)
      guard let origin = try? request.origin else { return }
      attributes[HTTPAttributes.serverAddress] = origin.host
      attributes[HTTPAttributes.serverPort] = origin.port
    }
  }

  /// Sets the attributes of a response; a status of 400 or more is an error of the client's span.
  fileprivate func describe(_ head: ResponseHead) {
    updateAttributes { attributes in
      attributes[HTTPAttributes.status] = head.status.code
      if let version = head.version { attributes[HTTPAttributes.protocolVersion] = HTTPAttributes.number(of: version) }
    }
    guard let errorType = HTTPAttributes.errorType(of: head.status.code) else { return }
    attributes[HTTPAttributes.errorType] = errorType
    setStatus(SpanStatus(code: .error))
  }

  fileprivate func fail(_ error: any Error) {
    attributes[HTTPAttributes.errorType] = HTTPAttributes.type(of: error)
    setStatus(SpanStatus(code: .error, message: (error as? NetworkError)?.message))
  }
}
#endif
