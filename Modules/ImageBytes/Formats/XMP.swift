/// Reads the orientation in an XMP packet, which may accompany or replace EXIF.
enum XMP {
  /// The keyword of a PNG text chunk with a packet (XMP, part 3, §1.1.5).
  static let pngKeyword = Array("XML:com.adobe.xmp\0".utf8)
  /// The prefix of the packet in a JPEG segment (part 3, §1.1.3).
  static let jpegSignature = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  private static let property = Array("tiff:Orientation".utf8)
  /// How many bytes of a packet are searched for the property.
  private static let searchLimit = 1 << 20

  /// Returns the orientation in a packet; nil if it states none.
  ///
  /// The property is an attribute, `tiff:Orientation="6"`, or an element, `<tiff:Orientation>6</tiff:Orientation>`. An
  /// unreadable packet is not an error, because it does not affect the picture.
  static func orientation(_ packet: ByteReader) -> ImageOrientation? {
    var reader = packet
    let end = reader.position + min(reader.remaining, searchLimit)
    while reader.position + property.count < end {
      if (try? reader.matches(property, at: reader.position)) == true {
        guard (try? reader.skip(property.count)) != nil else { return nil }
        return value(&reader)
      }
      guard (try? reader.skip(1)) != nil else { return nil }
    }
    return nil
  }

  /// Reads `="6"` or `>6<`, with white space where XML allows it.
  private static func value(_ reader: inout ByteReader) -> ImageOrientation? {
    var digit: Int?
    for _ in 0..<32 {
      guard let byte = try? reader.uint8() else { return nil }
      switch UInt8(truncatingIfNeeded: byte) {
      case UInt8(ascii: "1")...UInt8(ascii: "8") where digit == nil: digit = byte - 0x30
      case UInt8(ascii: "="), UInt8(ascii: ">"), 0x20, 0x09, 0x0A, 0x0D: break
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"):
        if let digit { return ImageOrientation(rawValue: digit) }
      default: return nil
      }
    }
    return nil
  }
}

extension PNG {
  /// Returns the orientation in an international text chunk with an XMP packet.
  ///
  /// Nil for any other text, and for a compressed packet (PNG specification, third edition, §11.3.3.4).
  static func orientation(inText payload: ByteReader) -> ImageOrientation? {
    var reader = payload
    guard (try? reader.matches(XMP.pngKeyword, at: reader.position)) == true,
      (try? reader.skip(XMP.pngKeyword.count)) != nil, (try? reader.uint8()) == 0
    else { return nil }
    return XMP.orientation(reader)
  }
}
