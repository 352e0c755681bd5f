public import CurlewCore
public import CurlewLoading
public import CurlewSerialization

extension Loader {
  /// Loads a request and decodes its response, without the overhead of a `Transfer`.
  ///
  /// If the serializer's validation refuses the head, the call fails before the body is read. The error contains the start of
  /// the body, which `NetworkError.refusedValue(_:)` decodes.
  ///
  /// - Parameter exchange: The context of this request; nil creates one with the loader's settings.
  /// - Throws: The errors of `load`; `bodyTooLarge` beyond the validation's `maximumBytes`; the errors of
  ///   `ResponseSerializer.output`.
  public func value<Serializer: ResponseSerializer>(
    for request: Request, decoding serializer: Serializer, in exchange: Exchange? = nil
  ) async throws -> (Serializer.Output, ResponseHead) {
    var request = request
    request.options.delivery = request.options.delivery ?? .collected
    let response = try await start(request, in: exchange)
    do {
      if let refusal = serializer.validation.check(response.head) {
        throw await refusal.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit)
      }
      let limit = serializer.validation.maximumBytes
      let body = try await response.body.gather(upTo: limit, expecting: response.head.expectedLength)
      if let refusal = serializer.validation.check(passed: response.head, body) { throw refusal }
      return (try serializer.value(of: response.head, body), response.head)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
  }
}
