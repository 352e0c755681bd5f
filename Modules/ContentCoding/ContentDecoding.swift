public import CurlewCore
import HTTPTypes

/// Offers content codings and decodes the responses of any transport.
///
/// It belongs at `InterceptorChain.decoding`: outside the cache, so that the cache keeps the coded bytes, and inside the app's
/// own interceptors, so that they see plain content. The task that reads a body decodes it, piece by piece.
///
/// ```swift
/// let chain = InterceptorChain(decoding: ContentDecoding(), redirect: Redirect())
/// let response = try await Loader(transport, chain: chain).load(request)
/// response.head.undoneCoding?.codings  // [.gzip]
/// ```
///
/// It offers its codings in `Accept-Encoding`, unless the request has that field or `Range`, or `decodesContent` is
/// false. It undoes all codings that `Content-Encoding` names, or none: if one has no decoder, the response stays
/// unchanged. So does a response to `HEAD`, a 204, a 304, and a 206, whose bytes are a part of the coded content.
/// `ResponseHead.undoneCoding` tells what was undone; `Content-Encoding` and `Content-Length` are removed, since they
/// describe the coded content.
///
/// When decoding fails, the body throws a `NetworkError` whose `underlying` is a `ContentDecodingError`:
/// - `truncatedBody` when all bytes arrived and the coded content is incomplete;
/// - `contentDecodingFailed` when it is damaged or has bytes after its end;
/// - `decodingLimitExceeded` when it exceeds `limits`.
///
/// In each case a cache removes the response. An empty body counts as empty content if its length, the chunked coding
/// or HTTP/2 marks its end; if only the end of the connection does, it counts as truncated.
public struct ContentDecoding: Interceptor {
  /// The codings that are offered and undone, the preferred one first.
  public let codings: [ContentCoding]
  /// The limits that stop decompression bombs.
  public let limits: ContentDecodingLimits
  private let offer: HTTPField?
  /// Ready-made fields with only `Accept-Encoding`, for requests without fields.
  private let onlyOffer: HTTPFields

  /// Creates an interceptor that offers and undoes content codings.
  ///
  /// - Parameters:
  ///   - codings: The codings to offer and undo, the preferred one first; those without a decoder are left out.
  ///   - limits: The limits that stop decompression bombs.
  public init(
    _ codings: [ContentCoding] = ContentDecoder.codings, limits: ContentDecodingLimits = ContentDecodingLimits()
  ) {
    self.codings = codings.filter(ContentDecoder.codings.contains)
    self.limits = limits
    let names =
      self.codings == ContentDecoder.codings
      ? ContentCoding.everyOffer : self.codings.map(\.rawValue).joined(separator: ", ")
    offer = names.isEmpty ? nil : HTTPField(name: .acceptEncoding, value: names)
    onlyOffer = HTTPFields(offer.map { [$0] } ?? [])
  }

  /// Adds `Accept-Encoding` to the request, and decodes the body while it is read.
  ///
  /// - Throws: `decodingLimitExceeded` when too many codings were applied; otherwise what the chain throws.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let response = try await next(offering(request), in: exchange)
    guard response.head.headerFields.has(.contentEncoding) else { return response }
    return try decoded(response, to: request)
  }

  /// Returns the request with `Accept-Encoding` added, if the offer applies to it.
  private func offering(_ request: Request) -> Request {
    guard let offer, request.options.decodesContent != false else { return request }
    var offering = request
    if request.headerFields.isEmpty {
      offering.headerFields = onlyOffer
    } else {
      guard !request.headerFields.has(.acceptEncoding), !request.headerFields.has(.range) else { return request }
      offering.headerFields.append(offer)
    }
    return offering
  }

  /// Returns the response with its codings undone.
  ///
  /// It is unchanged if it must not be decoded, or if one of its codings is unknown.
  private func decoded(_ response: Response, to request: Request) throws -> Response {
    let undoes = request.options.decodesContent ?? !request.headerFields.has(.acceptEncoding)
    guard undoes, request.method != .head, response.head.expectedLength != 0 else { return response }
    switch response.head.status.code {
    case 100..<200, 204, 206, 304: return response
    default: break
    }
    let applied = ContentCoding.applied(in: response.head.headerFields)
    guard !applied.isEmpty, applied.allSatisfy(codings.contains) else { return response }
    var plain = response
    let mayBeEmpty = response.head.marksEnd
    plain.head.noteUndone(applied)
    let decoder: ContentDecoder
    do throws(ContentDecodingError) {
      decoder = try ContentDecoder(applied, limits: limits)
    } catch {
      response.body.cancel()
      throw error.networkError.with { details in
        details.request = request
        details.response = response.head
        details.maybeProcessed = true
      }
    }
    let head = plain.head
    plain.body = response.body.wrapped { DecodedBody($0, decoder, request, head, mayBeEmpty: mayBeEmpty) }
    return plain
  }
}

extension ResponseHead {
  /// Whether the message marks the end of its body (RFC 9112 §6.3).
  ///
  /// Otherwise the body ends with the connection.
  fileprivate var marksEnd: Bool {
    if expectedLength != nil || (version != .http10 && version != .http11) { return true }
    guard let codings = headerFields[.transferEncoding] else { return false }
    return FieldList(codings).contains { $0.lowercased() == "chunked" }
  }
}

/// Limits how much output a decoder produces for its input.
///
/// Memory needs no limit of its own: content is decoded as it is read, 64 kB at a time for each coding, beside the
/// coding's window (32 kB for gzip and deflate, at most 16 MB for brotli, `zstdWindow` for zstd). These limits stop
/// decompression bombs.
public struct ContentDecodingLimits: Sendable, Hashable {
  /// The maximum number of decoded bytes, 0 or more; nil, the default, sets no limit.
  ///
  /// A reader that collects a body or writes it to a file has a limit of its own.
  public var output: Int64?
  /// The maximum ratio of decoded to coded bytes, 1 or more; 500 by default.
  ///
  /// It is checked once the decoded bytes exceed `allowance`.
  ///
  /// Text reaches 20, deflate cannot exceed 1,032, and brotli and zstd turn a few hundred bytes into gigabytes. With
  /// several codings the limit applies to the output of each.
  public var ratio = 500
  /// The number of decoded bytes, 0 or more, up to which `ratio` is not checked.
  ///
  /// 256 MB by default.
  public var allowance: Int64 = 256 << 20
  /// The maximum number of codings of one body, 1 or more; 4 by default.
  public var codings = 4
  /// The largest window of zstd content in bytes; 8 MB by default.
  ///
  /// A power of two from 1 kB to 128 MB; other values are rounded down.
  ///
  /// A decoder must support 8 MB, and an encoder must not exceed that (RFC 9659 §3).
  public var zstdWindow = 8 << 20

  /// Creates the default limits.
  public init() {}

  /// The base-2 logarithm of the window's size, as libzstd takes it.
  var zstdWindowLog: Int {
    let bytes = min(max(zstdWindow, 1 << 10), 128 << 20)
    return Int.bitWidth - 1 - bytes.leadingZeroBitCount
  }
}
