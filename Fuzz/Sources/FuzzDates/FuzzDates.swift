import CurlewCore
import FoundationEssentials
import FuzzKit

/// Fuzzes the dates of fields, of cookies and of documents.
@main enum FuzzDates: FuzzTarget {
  private static let now = HTTPDate(secondsSince1970: 1_795_000_000)

  static func read(_ bytes: Data) {
    let text = String(decoding: bytes, as: UTF8.self)
    for date in [HTTPDate(text, now: now), HTTPDate(cookieDate: text)].compactMap({ $0 }) {
      demand(HTTPDate(date.description, now: now) == date, "\(date) does not read back")
      demand(HTTPDate(date.date) == date, "\(date) changes on its way through Foundation")
    }
    if let date = InternetDate.parse(text), let written = InternetDate.text(date, keepsFraction: true) {
      demand(InternetDate.parse(written) == date, "\(written) is another date")
    }
  }
}
