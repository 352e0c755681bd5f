import CurlewSession
import FoundationEssentials
import FuzzKit

/// Fuzzes event streams and lines, whose result must not depend on the pieces.
@main enum FuzzEventStreams: FuzzTarget {
  static func read(_ bytes: Data) {
    for limit in [4, 1 << 20] {
      demand(events(of: [bytes], limit) == events(of: bytes.pieces, limit), "events depend on how the stream is cut")
      demand(lines(of: [bytes], limit) == lines(of: bytes.pieces, limit), "lines depend on how the stream is cut")
    }
  }

  private static func events(of pieces: [Data], _ limit: Int) -> [String] {
    var limits = EventStreamLimits()
    limits.maximumLineBytes = limit * 2
    limits.maximumEventBytes = limit
    var parser = EventStreamParser(limits: limits)
    var seen: [String] = []
    for piece in pieces {
      parser.append(piece)
      var isDone = false
      while !isDone {
        do throws(EventStreamError) {
          guard let event = try parser.next() else {
            isDone = true
            continue
          }
          demand(event.data.utf8.count <= 3 * limit, "an event is above its limit")
          demand(!event.type.utf8.contains(0x0A) && !event.type.utf8.contains(0x0D), "a type has an end of line")
          seen.append("\(event)")
        } catch {
          seen.append("\(error)")
        }
      }
    }
    return seen + ["\(parser.lastEventID) \(String(describing: parser.reconnectionTime))"]
  }

  private static func lines(of pieces: [Data], _ limit: Int) -> [String] {
    var splitter = LineSplitter(maximumBytes: limit)
    var seen: [String] = []
    func take() {
      while true {
        do throws(LineTooLongError) {
          guard let line = try splitter.next() else { return }
          demand(line.count <= limit && !line.contains(0x0A) && !line.contains(0x0D), "a line holds an end")
          seen.append(line.base64EncodedString())
        } catch {
          seen.append("\(error)")
        }
      }
    }
    for piece in pieces {
      splitter.append(piece)
      take()
    }
    splitter.finish()
    take()
    return seen
  }
}
