import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.enabled(if: JudgeData.exists("multipart"), "shared/data/multipart is not there"))
struct MultipartCorpusTests {
  private static let cases = "multipart/python-multipart/tests/test_data/http"
  private static let browsers = "multipart/werkzeug/tests/multipart"

  /// Where Curlew and python-multipart name another byte, with the reason.
  private static let otherPositions: [String: MultipartError] = {
    var errors: [String: (MultipartError.Kind, Int)] = [:]
    // A line that is no delimiter is preamble to RFC 2046; that it was not is seen at the closing delimiter.
    errors["bad_initial_boundary"] = (.missingDelimiter, 106)
    errors["empty_message_with_bad_end"] = (.missingDelimiter, 16)
    return errors.mapValues { MultipartError($0.0, at: $0.1) }
  }()

  /// Where a description names a boundary that its body does not have.
  private static let otherBoundaries = [
    // `--boundary` in the description, `--boundary` with the delimiter's own hyphens in the body; python-multipart's
    // test passes this boundary, too.
    "single_field_blocks": "boundary"
  ]

  @Test func `python-multipart's cases are read as their descriptions say, in chunks of any size`() throws {
    var count = 0
    for file in try JudgeData.names(in: Self.cases) where file.hasSuffix(".http") {
      count += 1
      let name = String(file.dropLast(5))
      let body = try Data(contentsOf: JudgeData.url("\(Self.cases)/\(file)"))
      let yaml = try Data(contentsOf: JudgeData.url("\(Self.cases)/\(name).yaml"))
      var expected = MultipartCase(yaml: String(decoding: yaml, as: UTF8.self))
      if let boundary = Self.otherBoundaries[name] {
        let refused = MultipartOutcome(body, boundary: expected.boundary, chunks: [body.count])
        #expect(refused.error?.kind == .missingDelimiter, "\(name)")
        expected.boundary = boundary
      }
      let outcome = MultipartOutcome(body, boundary: expected.boundary, chunks: [body.count])
      checkChunks(body, boundary: expected.boundary, outcome, name)
      if let position = expected.errorPosition {
        if let other = Self.otherPositions[name] {
          #expect(outcome.error == other, "\(name)")
        } else {
          #expect(outcome.error?.position == position, "\(name)")
        }
        continue
      }
      #expect(outcome.error == nil && outcome.isFinished, "\(name)")
      #expect(outcome.parts.count == expected.parts.count, "\(name)")
      for (part, wanted) in zip(outcome.parts, expected.parts) {
        #expect(part.isComplete, "\(name)")
        #expect(part.dispositionParameter("name") == wanted.name, "\(name)")
        #expect(part.dispositionParameter("filename") == wanted.fileName, "\(name)")
        #expect(part.withoutTransferEncoding == wanted.data, "\(name)")
        if wanted.type == "file" { #expect(part.fields[.contentType] == wanted.contentType, "\(name)") }
      }
    }
    #expect(count == 30)
  }

  @Test func `forms sent by browsers hold the files that were chosen`() throws {
    var count = 0
    for folder in try JudgeData.names(in: Self.browsers) where !folder.hasSuffix(".http") {
      count += 1
      let path = "\(Self.browsers)/\(folder)"
      let body = try Data(contentsOf: JudgeData.url("\(path)/request.http"))
      let boundary = Self.firstBoundary(of: body)
      let outcome = MultipartOutcome(body, boundary: boundary, chunks: [body.count])
      checkChunks(body, boundary: boundary, outcome, folder)
      #expect(outcome.error == nil && outcome.isFinished, "\(folder)")
      #expect(outcome.parts.compactMap { $0.dispositionParameter("name") } == ["file1", "file2", "text"], "\(folder)")
      guard outcome.parts.count == 3 else { continue }
      #expect(try outcome.parts[0].body == Data(contentsOf: JudgeData.url("\(path)/file1.png")), "\(folder)")
      #expect(try outcome.parts[1].body == Data(contentsOf: JudgeData.url("\(path)/file2.png")), "\(folder)")
      // The text files of the suite end in a line feed that the forms do not have; browsers send CR LF for others.
      let text = String(decoding: try Data(contentsOf: JudgeData.url("\(path)/text.txt")), as: UTF8.self)
      let sent = String(decoding: outcome.parts[2].body, as: UTF8.self).replacing("\r\n", with: "\n")
      #expect(sent + "\n" == text, "\(folder)")
    }
    #expect(count == 5)
  }

  @Test func `a form with bare line feeds is read`() throws {
    let body = try Data(contentsOf: JudgeData.url("\(Self.browsers)/ie7_full_path_request.http"))
    let boundary = Self.firstBoundary(of: body)
    let outcome = MultipartOutcome(body, boundary: boundary, chunks: [body.count])
    checkChunks(body, boundary: boundary, outcome, "ie7")
    #expect(outcome.error == nil && outcome.isFinished)
    let file = outcome.parts.first { $0.dispositionParameter("filename") != nil }
    #expect(file?.dispositionParameter("filename") == "Sellersburg Town Council Meeting 02-22-2010doc.doc")
    #expect(outcome.parts.last?.dispositionParameter("name") == "submit")
    #expect(outcome.parts.last?.body == Data("Submit".utf8))
  }

  private func checkChunks(_ body: Data, boundary: String, _ whole: MultipartOutcome, _ name: String) {
    for sizes in [[1], [2, 3], [7], [1, 64], [1000]] {
      #expect(MultipartOutcome(body, boundary: boundary, chunks: sizes) == whole, "\(name) in chunks of \(sizes)")
    }
  }

  private static func firstBoundary(of body: Data) -> String {
    String(decoding: body.prefix { $0 != 0x0D && $0 != 0x0A }.dropFirst(2), as: UTF8.self)
  }
}
