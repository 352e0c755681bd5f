extension ConformanceAnswer {
  /// The number of bytes between two reports of progress.
  private static let progressStep: Int64 = 262_144

  /// Returns the answer as steps of a scripted origin.
  package func originReply(method: String, at place: ConformancePlace) -> OriginReply {
    if let raw {
      var steps: [OriginStep] = [.raw(raw.start)]
      if !raw.endless.isEmpty { steps.append(.repeated(raw.endless, times: .max)) }
      return raw.closes ? OriginReply(steps).closing() : OriginReply(steps + [.idle(idling)])
    }
    if let conversation { return OriginReply(head, .converse(conversation)) }
    if ending == .halfClosed { return OriginReply(head, .halfClose) }
    var steps: [OriginStep] = []
    switch upload {
    case .readFirst, .readFirstWithoutContinue, .ignored, .readAfterHead: break
    case .readPartly(let count, let gate):
      steps += [.readUpload(upTo: count), .hold(gate, place), .readUpload()]
    }
    if let holdsHead { steps.append(.hold(holdsHead, place)) }
    switch ending {
    case .cutBeforeHead: return reading(OriginReply(steps + [.cut]))
    case .resetBeforeHead: return reading(OriginReply(steps + [.reset]))
    case .complete, .cut, .reset, .halfClosed: break
    }
    steps += informational.map { .interim($0.status, $0.fields) }
    steps.append(head)
    if case .readAfterHead = upload { steps.append(.readUpload()) }
    steps += contentSteps(method: method, at: place)
    var reply = reading(OriginReply(steps))
    reply.endsConnection = framing == .close || framing == .http10 || fields["Connection"]?.matches("close") == true
    return reply
  }

  private func reading(_ reply: OriginReply) -> OriginReply {
    switch upload {
    case .readFirst: return reply
    case .readFirstWithoutContinue:
      var reply = reply
      reply.reading = .firstUnasked
      return reply
    case .ignored, .readAfterHead, .readPartly: return reply.beforeUpload()
    }
  }

  private var head: OriginStep {
    guard framing == .http10 else { return .head(status, reason: reason, framedFields) }
    return .raw("HTTP/1.0 \(status) \(reason ?? "OK")\r\n\(framedFields.wireText)\r\n")
  }

  /// Returns the steps for the content, up to its end, a cut or a hold.
  private func contentSteps(method: String, at place: ConformancePlace) -> [OriginStep] {
    guard hasContent(method: method) else { return [.idle(idling)] }
    var steps: [OriginStep] = []
    var position: Int64 = 0
    let (end, last) = boundary
    if let holdsContent, holdsContent.offset <= end {
      steps += part(0..<holdsContent.offset, place)
      steps.append(.hold(holdsContent.gate, place))
      position = holdsContent.offset
    }
    steps += part(position..<end, place)
    if let last { return steps + [last] }
    if case .chunked = framing { steps.append(.trailers(trailers)) }
    steps.append(.idle(idling))
    return steps
  }

  /// The offset at which the content stops, and the step that ends the connection.
  private var boundary: (Int64, OriginStep?) {
    switch ending {
    case .cut(let count): (min(count, content.count), .cut)
    case .reset(let count): (min(count, content.count), .reset)
    case .complete, .cutBeforeHead, .resetBeforeHead, .halfClosed: (content.count, nil)
    }
  }

  private func part(_ range: Range<Int64>, _ place: ConformancePlace) -> [OriginStep] {
    var steps: [OriginStep] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let next: Int64
      if case .chunked(let size) = framing {
        next = min(range.upperBound, position + Int64(max(1, size)))
        steps.append(.chunk(content.bytes(position..<next)))
      } else {
        next = min(range.upperBound, position + Self.progressStep)
        if case .pattern(let pattern, _) = content {
          steps.append(.fill(pattern, from: position, count: next - position))
        } else {
          steps.append(.body(content.bytes(position..<next)))
        }
      }
      let count = next - position
      steps.append(
        .perform { [place] in
          place.noteSent(count)
          return []
        })
      position = next
    }
    return steps
  }
}

extension OriginStep {
  /// Returns a step that waits at a gate, and counts a client that leaves.
  fileprivate static func hold(_ gate: OriginGate, _ place: ConformancePlace) -> OriginStep {
    .perform {
      await place.hold(at: gate)
      return []
    }
  }
}
