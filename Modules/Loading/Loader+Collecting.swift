public import CurlewCore
public import FoundationEssentials

extension Loader {
  /// Loads a request and collects the body, whatever the status.
  ///
  /// - Parameter limit: The most bytes to collect, 0 or more.
  /// - Throws: The same errors as `load`; `bodyTooLarge` beyond the limit.
  public func data(
    for request: Request, upTo limit: Int, in exchange: Exchange? = nil
  ) async throws -> (Data, ResponseHead) {
    let response = try await start(collecting(request), in: exchange)
    do {
      return (try await response.body.gather(upTo: limit, expecting: response.head.expectedLength), response.head)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
  }

  /// Loads a request and writes the body into a sink.
  ///
  /// This happens on the transport's own thread if it has one.
  ///
  /// Only a body with a 2xx status reaches the sink, so that no error page ends up in a file. For a sink that often
  /// blocks, set `ResponseDelivery.streamed` on the request; if the option is unset, the sink counts as fast.
  ///
  /// - Throws: The same errors as `load`; `unacceptableStatus` with the start of the body; the error of the sink.
  @discardableResult
  public func download(
    _ request: Request, to sink: any BodySink, in exchange: Exchange? = nil
  ) async throws -> ResponseHead {
    let response = try await load(request.options.delivery == nil ? collecting(request) : request, in: exchange)
    do {
      try TransferValidation.successStatus(response.head)
    } catch {
      throw await error.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit).naming(request)
    }
    do {
      try await response.body.drain(into: sink)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
    return response.head
  }

  private func collecting(_ request: Request) -> Request {
    var request = request
    request.options.delivery = .collected
    return request
  }
}
