import CurlewCore
import CurlewImageBytes
import CurlewJSON
import FoundationEssentials

/// Images of all formats that are recognized by their content.
///
/// The output consists of the properties in their headers.
struct Images: Format {
  let name = "image"
  let mediaTypes: [MediaType] = ImageFormat.allCases.flatMap(\.mediaTypes).compactMap { MediaType($0) }

  func recognizes(_ prefix: Data) -> Bool { ImageFormat(recognizing: prefix) != nil }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    do throws(ImageError) {
      return [DecodedLine(Self.value(try ImageInfo(of: document)).text())]
    } catch {
      throw FormatError("at byte \(error.offset): \(error.reason)")
    }
  }

  private static func value(_ info: ImageInfo) -> JSONValue {
    func number(_ value: Int?) -> JSONValue { value.map { .number(JSONNumber($0)) } ?? .null }
    return [
      "format": .string(info.format.rawValue), "mediaType": .string(info.mediaType), "width": number(info.width),
      "height": number(info.height), "orientation": number(info.orientation.rawValue), "frames": number(info.frames),
      "hasAlpha": .bool(info.hasAlpha), "bitDepth": number(info.bitDepth), "bytes": number(info.bytes),
    ]
  }
}
