// As Hummingbird does it: one name at a time, from the module with the core.
@_exported public import struct SmallServerCore.Request
@_exported public import struct SmallServerCore.Response
@_exported public import struct SmallServerCore.ResponseBody
