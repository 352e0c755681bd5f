import CBrotli
import CZlib
import CZstd
import CurlewCore
import FoundationEssentials

/// Decodes a whole body by the libraries' calls for data that is all there; nil for an error.
enum ReferenceDecoder {
  static func decode(_ coded: Data, _ coding: ContentCoding, room: Int = 1 << 22) -> Data? {
    switch coding {
    case .gzip: gzip(coded, room)
    case .deflate: deflate(coded, room)
    case .brotli: brotli(coded, room)
    case .zstd: zstd(coded, room)
    default: nil
    }
  }

  private static func gzip(_ coded: Data, _ room: Int) -> Data? {
    var rest = coded
    var plain = Data()
    repeat {
      guard let member = inflated(rest, window: 31, room) else { return nil }
      plain += member.plain
      rest = rest.dropFirst(member.taken)
    } while rest.first == 0x1F
    return rest.allSatisfy { $0 == 0 } ? plain : nil
  }

  /// In the zlib format where it begins with that, else bare.
  private static func deflate(_ coded: Data, _ room: Int) -> Data? {
    let head = coded.prefix(2).map { Int($0) }
    let isZlib = head.count == 2 && head[0] % 16 == 8 && head[0] < 0x80 && (head[0] * 256 + head[1]) % 31 == 0
    guard let stream = inflated(coded, window: isZlib ? 15 : -15, room) else { return nil }
    return stream.taken == coded.count ? stream.plain : nil
  }

  /// One stream, by one call with room for all of it.
  private static func inflated(_ coded: Data, window: CInt, _ room: Int) -> (plain: Data, taken: Int)? {
    var stream = z_stream()
    guard inflateInit2_(&stream, window, zlibVersion(), CInt(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = Array(coded)
    var output = [UInt8](repeating: 0, count: room)
    let count = input.count
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(count)
      return output.withUnsafeMutableBufferPointer { output in
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(room)
        guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return (Data(output.prefix(room - Int(stream.avail_out))), count - Int(stream.avail_in))
      }
    }
  }

  private static func brotli(_ coded: Data, _ room: Int) -> Data? {
    var output = [UInt8](repeating: 0, count: room)
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
    defer { BrotliDecoderDestroyInstance(state) }
    // `BrotliDecoderDecompress` does not tell whether input was left.
    let input = Array(coded)
    var left = input.count
    var free = room
    let result = input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var next = input.baseAddress
        var place = output.baseAddress
        return BrotliDecoderDecompressStream(state, &left, &next, &free, &place, nil)
      }
    }
    return result == BROTLI_DECODER_RESULT_SUCCESS && left == 0 ? Data(output.prefix(room - free)) : nil
  }

  private static func zstd(_ coded: Data, _ room: Int) -> Data? {
    var output = [UInt8](repeating: 0, count: room)
    let input = Array(coded)
    let count = ZSTD_decompress(&output, room, input, input.count)
    return ZSTD_isError(count) == 0 ? Data(output.prefix(count)) : nil
  }

  /// zstd byte by byte; libzstd takes a compressed block of no bytes so, and refuses it where all is there.
  static func streamed(_ coded: Data, room: Int = 1 << 22) -> Data? {
    guard let context = ZSTD_createDCtx() else { return nil }
    defer { ZSTD_freeDCtx(context) }
    var output = [UInt8](repeating: 0, count: room)
    return coded.withUnsafeBytes { coded in
      output.withUnsafeMutableBytes { output in
        var source = ZSTD_inBuffer(src: coded.baseAddress, size: 0, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: room, pos: 0)
        var rest = 1
        while source.pos < coded.count {
          source.size = source.pos + 1
          rest = ZSTD_decompressStream(context, &target, &source)
          if ZSTD_isError(rest) != 0 { return nil }
        }
        return rest == 0 ? Data(output.prefix(target.pos)) : nil
      }
    }
  }
}
