import CZlib
import CZstd
import CurlewCore
import FoundationEssentials
import Glibc
import Testing

/// Content and its coded form, made with the libraries' own encoders.
enum CodedSample {
  /// Text that compresses to about a third, the same for the same seed.
  static func text(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed
    func random(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    let words = (0..<400).map { _ in (0..<(2 + random(8))).map { _ in UInt8(97 + random(26)) } }
    var text: [UInt8] = []
    text.reserveCapacity(count + 16)
    while text.count < count {
      text += words[Int(random(400))]
      text.append(random(12) == 0 ? 10 : 32)
    }
    return Data(text.prefix(count))
  }

  /// The content in one coding.
  static func coded(_ plain: Data, _ coding: ContentCoding) throws -> Data {
    switch coding {
    case .gzip: try deflated(plain, window: 31)
    case .deflate: try deflated(plain, window: 15)
    case .brotli: try brotli(plain)
    case .zstd: try zstd(plain)
    default: throw Failure(what: "no encoder of \(coding)")
    }
  }

  /// deflate in a format that zlib's window bits name: 31 is gzip, 15 zlib, −15 none.
  static func deflated(_ plain: Data, window: CInt) throws -> Data {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, zlibVersion(), CInt(MemoryLayout<z_stream>.size))
        == Z_OK
    else { throw Failure(what: "deflateInit2") }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(plain.count))) + 64)
    var input = Array(plain)
    let length = input.count
    return try input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(length)
      let room = output.count
      return try output.withUnsafeMutableBufferPointer { output in
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(room)
        guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { throw Failure(what: "deflate") }
        return Data(output.prefix(room - Int(stream.avail_out)))
      }
    }
  }

  static func zstd(_ plain: Data, windowLog: CInt? = nil) throws -> Data {
    let context = try #require(ZSTD_createCCtx())
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    if let windowLog {
      ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
      // Without the size in the frame the window is that of the parameter, however short the content is.
      ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
    }
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(plain.count))
    let room = output.count
    return try output.withUnsafeMutableBytes { output in
      try plain.withUnsafeBytes { plain in
        var source = ZSTD_inBuffer(src: plain.baseAddress, size: plain.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: room, pos: 0)
        // Flushed first, so that the library does not know the size when it writes the frame's head.
        if windowLog != nil { _ = ZSTD_compressStream2(context, &target, &source, ZSTD_e_flush) }
        guard ZSTD_compressStream2(context, &target, &source, ZSTD_e_end) == 0 else { throw Failure(what: "zstd") }
        return Data(output.prefix(target.pos))
      }
    }
  }

  private typealias BrotliEncoder =
    @convention(c) (
      CInt, CInt, CInt, Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>
    ) -> CInt

  /// Debian installs the encoder beside the decoder; only these tests use it, so nothing links it.
  static func brotli(_ plain: Data) throws -> Data {
    let library = try #require(dlopen("libbrotlienc.so.1", RTLD_NOW), "libbrotli1 has the encoder")
    let symbol = try #require(dlsym(library, "BrotliEncoderCompress"))
    // Safe because this is the function's declared type.
    let compress = unsafeBitCast(symbol, to: BrotliEncoder.self)
    var output = [UInt8](repeating: 0, count: plain.count + 1024)
    var count = output.count
    let input = Array(plain)
    guard compress(5, 22, 0, input.count, input, &count, &output) == 1 else { throw Failure(what: "brotli") }
    return Data(output.prefix(count))
  }

  struct Failure: Error { var what: String }
}
