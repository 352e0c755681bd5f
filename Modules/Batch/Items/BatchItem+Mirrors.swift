import FoundationEssentials

// What `dump` and a debugger show: the input of an item may contain a request with its credentials, a note and an output whatever
// the job keeps there.

extension BatchItem: CustomReflectable {
  /// The item with the length of its input instead of the bytes.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "job": job, "inputLength": input.count, "dependencies": dependencies, "host": host as Any,
        "priority": priority, "expectedBytes": expectedBytes as Any,
      ])
  }
}

extension BatchLease: CustomReflectable {
  /// The lease with the length of its note instead of the bytes.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "item": item, "retries": retries, "noteLength": note?.count as Any])
  }
}

extension BatchRenewal: CustomReflectable {
  /// The renewal with the length of its note instead of the bytes.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["id": id, "completed": completed, "total": total as Any, "noteLength": note?.count as Any])
  }
}

extension BatchProduct: CustomReflectable {
  /// The product with the length of its output instead of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["outputLength": output.count, "bytes": bytes as Any]) }
}
