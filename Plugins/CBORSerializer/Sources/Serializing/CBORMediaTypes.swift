public import CurlewCore

extension MediaType {
  /// `application/cbor` (RFC 8949 §9.3), which includes types with the suffix `+cbor`.
  public static let cbor = MediaType(type: "application", subtype: "cbor") ?? .octetStream
  /// `application/cbor-seq` (RFC 8742)
  public static let cborSequence = MediaType(type: "application", subtype: "cbor-seq") ?? .octetStream
}
