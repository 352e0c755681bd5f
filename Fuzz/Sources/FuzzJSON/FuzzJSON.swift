import CurlewJSON
import FoundationEssentials
import FuzzKit

/// Fuzzes JSON documents, and streams of documents.
@main enum FuzzJSON: FuzzTarget {
  static func read(_ bytes: Data) {
    readDocument(bytes)
    readTolerantly(bytes)
    for framing in [JSONFraming.lines, .textSequence] { readRecords(bytes, framing) }
  }

  /// Checks that a document survives writing, and an error has a valid position.
  private static func readDocument(_ bytes: Data) {
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes)
      for format in [JSONFormat.canonical, .sorted, .pretty] {
        let text = value.text(format)
        let again = try? JSONValue(parsing: text)
        demand(again == value, "\(format) does not read back")
        demand(format == .sorted || again?.text(format) == text, "\(format) reads back changed")
        demand(again?.hashValue == value.hashValue, "equal values have two hashes")
      }
      _ = value.removingNulls()
      _ = try? JSONValueDecoder().decode(AnyDecoded.self, from: value)
      checkNumbers(value)
    } catch {
      demand((0...bytes.count).contains(error.offset), "an error lies outside")
      demand(error.line > 0 && error.column > 0, "an error has no line")
      var small = JSONParsingOptions()
      small.maximumDepth = 3
      demand((try? JSONValue(parsing: bytes, options: small)) == nil, "a lower limit accepts more")
    }
  }

  /// Parses with all tolerant options, keeping every name.
  private static func readTolerantly(_ bytes: Data) {
    var options = JSONParsingOptions()
    options.duplicateNames = .keepAll
    options.loneSurrogates = .replace
    guard let value = try? JSONValue(parsing: bytes, options: options) else {
      demand((try? JSONValue(parsing: bytes)) == nil, "leniency accepts less")
      return
    }
    let again = try? JSONValue(parsing: value.data(), options: options)
    demand(again?.text() == value.text(), "all names do not read back")
    for duplicates in [JSONParsingOptions.DuplicateNames.keepFirst, .keepLast, .refuse] {
      options.duplicateNames = duplicates
      _ = try? JSONValue(parsing: bytes, options: options)
    }
  }

  private static func checkNumbers(_ value: JSONValue) {
    switch value {
    case .array(let elements): elements.forEach(checkNumbers)
    case .object(let object): for member in object { checkNumbers(member.value) }
    case .number(let number):
      demand(JSONNumber(text: number.text)?.text == number.text, "a number's spelling is lost")
      let rounded = Double(number.text).flatMap { $0.isFinite ? $0 : nil }
      demand(number.double?.bitPattern == rounded?.bitPattern, "\(number.text) is rounded wrongly")
      demand(number.int.map(JSONNumber.init) ?? number == number, "\(number.text) is no such integer")
      _ = number.decimal
    default: break
    }
  }

  /// Checks that the records do not depend on how the stream is cut.
  private static func readRecords(_ bytes: Data, _ framing: JSONFraming) {
    let whole = records(in: [bytes], framing)
    let cut = records(in: bytes.pieces, framing)
    demand(whole == cut, "records depend on how the stream is cut")
  }

  private static func records(in pieces: [Data], _ framing: JSONFraming) -> [String] {
    var options = JSONRecordOptions()
    options.maximumRecordBytes = 100
    var framer = JSONRecordFramer(framing, options: options)
    var seen: [String] = []
    func take() {
      while true {
        do throws(JSONRecordError) {
          guard let record = try framer.next() else { return }
          seen.append("\(record.number) \(record.offset) \(record.bytes.base64EncodedString())")
        } catch {
          seen.append("\(error)")
        }
      }
    }
    for piece in pieces {
      framer.append(piece)
      take()
    }
    framer.finish()
    take()
    return seen
  }
}
