public import CurlewCore
public import CurlewLoading
public import CurlewSerialization

extension Loader {
  /// Loads a request and makes a value of its response, without the cost of a `Transfer`.
  ///
  /// A head that the serializer's validation refuses is an error before the body is read; the error has the start of the
  /// body, which `NetworkError.refusedValue(_:)` reads.
  ///
  /// - Parameter exchange: The context of this one request; nil begins one with the loader's settings.
  /// - Throws: As `load`; `bodyTooLarge` past the validation's `maximumBytes`; the errors of `ResponseSerializer.output`.
  public func value<Serializer: ResponseSerializer>(
    for request: Request, decoding serializer: Serializer, in exchange: Exchange? = nil
  ) async throws -> (Serializer.Output, ResponseHead) {
    var request = request
    request.options.delivery = request.options.delivery ?? .collected
    let response = try await start(request, in: exchange)
    if let refusal = serializer.validation.check(response.head) {
      let limit = TransferValidation.errorBodyLimit
      throw await refusal.withStart(of: response.body, upTo: limit).with { $0.request = request }
    }
    let limit = serializer.validation.maximumBytes
    let body = try await response.body.gather(upTo: limit, expecting: response.head.expectedLength)
    if let refusal = serializer.validation.check(passed: response.head, body) { throw refusal }
    return (try serializer.value(of: response.head, body), response.head)
  }
}
