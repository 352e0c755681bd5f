public import CurlewCore
public import FoundationEssentials

extension Loader {
  /// Loads a request and collects the body, whatever the status says.
  ///
  /// - Parameter limit: The most bytes to take, 0….
  /// - Throws: As `load`; `bodyTooLarge` past the limit.
  public func data(
    for request: Request, upTo limit: Int, in exchange: Exchange? = nil
  ) async throws -> (Data, ResponseHead) {
    let response = try await start(collecting(request), in: exchange)
    let body = try await response.body.gather(upTo: limit, expecting: response.head.expectedLength)
    return (body, response.head)
  }

  /// Loads a request and drains the body into a sink, on the transport's own thread where it has one.
  ///
  /// Only a status of 2xx reaches the sink: nobody wants an error page in a file. A sink that often waits should be asked
  /// for with `ResponseDelivery.streamed`; unset means that it does not.
  ///
  /// - Throws: As `load`; `unacceptableStatus`, with the start of the body; what the sink throws.
  @discardableResult
  public func download(
    _ request: Request, to sink: any BodySink, in exchange: Exchange? = nil
  ) async throws -> ResponseHead {
    let response = try await load(request.options.delivery == nil ? collecting(request) : request, in: exchange)
    do {
      try TransferValidation.successStatus(response.head)
    } catch {
      throw await error.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit)
    }
    try await response.body.drain(into: sink)
    return response.head
  }

  private func collecting(_ request: Request) -> Request {
    var request = request
    request.options.delivery = .collected
    return request
  }
}
