/// Reads a request's body, as far as handler and reply allow.
extension OriginConnection {
  /// Allows this many more bytes of the body.
  ///
  /// A client that waits for 100 Continue is told to send them.
  func openUpload(upTo allowance: Int64, sendingContinue: Bool) {
    uploadAllowance = allowance
    guard owesContinue else { return }
    owesContinue = false
    if sendingContinue {
      wire.send("HTTP/1.1 100 Continue\r\n\r\n")
      _ = wire.flush()
    }
  }

  /// Moves arrived bytes of the body out of the wire's input.
  func readUpload() {
    guard let upload = request?.upload, !decoder.isComplete else { return }
    while uploadAllowance > 0 {
      let event = wire.input.withBytes { input in
        let event = decoder.next(input, upTo: uploadAllowance)
        switch event {
        case .body(let count):
          let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
          upload.append(bytes)
          wire.transcript?.received(bytes)
        case .framing(let count), .trailer(_, let count):
          wire.transcript?.received(UnsafeRawBufferPointer(rebasing: input[..<count]))
        case .complete, .broken, .starved: break
        }
        return event
      }
      switch event {
      case .body(let count):
        if uploadAllowance != .max { uploadAllowance -= Int64(count) }
        wire.input.discard(count)
      case .framing(let count):
        wire.input.discard(count)
      case .trailer(let line, let count):
        upload.append(trailer: line)
        wire.input.discard(count)
      case .complete:
        return upload.end(complete: true)
      case .broken:
        return upload.end(complete: false)
      case .starved:
        if wire.sawEnd { upload.end(complete: false) }
        return
      }
    }
    // A body that ends exactly at the allowance is complete, too.
    if decoder.isComplete { upload.end(complete: true) }
  }
}
