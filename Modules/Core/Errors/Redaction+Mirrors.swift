import FoundationEssentials
package import HTTPTypes

// What `dump`, a debugger and reflection show of the types that can contain secrets: the same as observers see.

extension Redaction {
  /// Returns the fields as lines without secrets, as a mirror shows them.
  package static func lines(of fields: HTTPFields) -> [String] {
    standard.redacted(fields).map { "\($0.name): \($0.value)" }
  }
}

extension Request: CustomReflectable {
  /// The parts of the request without secrets and without the bytes of its body.
  public var customMirror: Mirror {
    let redacted = Redaction.standard.redacted(self)
    return Mirror(
      self,
      children: [
        "method": method.rawValue, "url": redacted.url.absoluteString,
        "headerFields": Redaction.lines(of: headerFields), "bodyLength": body.length as Any, "options": options,
      ])
  }
}

extension ResponseHead: CustomReflectable {
  /// The parts of the head without secrets.
  public var customMirror: Mirror {
    let redacted = Redaction.standard.redacted(self)
    return Mirror(
      self,
      children: [
        "url": redacted.url.absoluteString, "status": status.code, "version": version as Any,
        "headerFields": Redaction.lines(of: headerFields), "expectedLength": expectedLength as Any, "source": source,
      ])
  }
}

extension Body: CustomReflectable {
  /// The length and the kind of the source, without the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["length": length as Any, "source": source]) }
}

extension Body.Source: CustomReflectable {
  /// The source without its bytes.
  public var customMirror: Mirror {
    switch self {
    case .empty: Mirror(self, children: ["length": 0])
    case .bytes(let data): Mirror(self, children: ["length": data.count])
    case .file(let region): Mirror(self, children: ["file": region])
    case .stream(let stream): Mirror(self, children: ["stream": stream])
    }
  }
}

extension MultipartPart: CustomReflectable {
  /// The fields without secrets; the body is not shown.
  public var customMirror: Mirror { Mirror(self, children: ["fields": Redaction.lines(of: fields)]) }
}

extension AuthenticationChallengeField: CustomReflectable {
  /// The scheme and the realm; a nonce or a token is not shown.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme, "realm": realm as Any]) }
}

extension AuthenticationInfoField: CustomReflectable {
  /// The names of the parameters, without their values.
  public var customMirror: Mirror { Mirror(self, children: ["parameters": parameters.map(\.name)]) }
}

extension Proxy: CustomReflectable {
  /// The address without the credential.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "host": host, "port": port]) }
}

extension Challenge: CustomReflectable {
  /// The challenge without its parameters.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "protectionSpace": protectionSpace, "previousFailureCount": previousFailureCount,
        "response": response as Any, "serverTrust": serverTrust as Any,
      ])
  }
}

extension UserInfo: CustomReflectable {
  /// Nothing: what the app keeps here may be secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension NetworkError.Details: CustomReflectable {
  /// The details without the body of a response.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind.rawValue, "stage": stage, "message": message, "request": request as Any,
        "response": response as Any, "responseBodyLength": responseBody?.count as Any, "bytesSent": bytesSent,
        "bytesReceived": bytesReceived, "connectionReused": connectionReused as Any, "maybeProcessed": maybeProcessed,
        "lacksNetwork": lacksNetwork, "attempts": attempts, "trust": trust as Any, "proxyChallenges": proxyChallenges,
        "missing": missing,
        "underlying": underlying as Any, "transportCode": transportCode as Any,
      ])
  }
}
