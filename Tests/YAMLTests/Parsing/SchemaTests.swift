import CurlewYAML
import Testing

struct SchemaTests {
  private func parse(_ text: String, _ schema: YAMLSchema) throws -> YAMLValue {
    var options = YAMLParsingOptions()
    options.schema = schema
    return try YAMLValue(parsing: text, options: options)
  }

  private func json(_ text: String, _ schema: YAMLSchema) throws -> String {
    try JSONText.of(parse(text, schema))
  }

  @Test func `the failsafe schema has strings alone`() throws {
    #expect(try json("[1, true, null, ~, 1.5, '']", .failsafe) == #"["1","true","null","~","1.5",""]"#)
    #expect(try json("{a: , b: 0x1}", .failsafe) == #"{"a":"","b":"0x1"}"#)
  }

  @Test func `the JSON schema has what JSON has`() throws {
    // YAML 1.2, example 10.5.
    #expect(try json("[0, -0, 3, -19]", .json) == "[0,0,3,-19]")
    #expect(try json("[0., -0.0, 12e03, -2E+05]", .json) == "[0.0,-0.0,12e03,-2e+05]")
    #expect(try json("[true, false, null]", .json) == "[true,false,null]")
    #expect(
      try json("[True, Null, 0o7, 0x3A, +12.3, .5, 01, ~, .inf]", .json)
        == #"["True","Null","0o7","0x3A","+12.3",".5","01","~",".inf"]"#)
  }

  @Test func `the core schema has more spellings`() throws {
    // YAML 1.2, example 10.6, and the expressions of 10.3.2.
    #expect(try json("[null, Null, NULL, ~, nULL]", .core) == #"[null,null,null,null,"nULL"]"#)
    #expect(try json("[true, True, TRUE, tRue, yes, on]", .core) == #"[true,true,true,"tRue","yes","on"]"#)
    #expect(try json("[0, 0o7, 0x3A, -19, +12, 012, 0b1, 1_000]", .core) == #"[0,7,58,-19,12,12,"0b1","1_000"]"#)
    #expect(try json("[0., -0.0, .5, +12e03, -2E+05, 1e3]", .core) == "[0.0,-0.0,0.5,12e03,-2e+05,1e3]")
    #expect(
      try json("[.inf, -.Inf, +.INF, .NAN, -.nan, .iNF]", .core) == #"[".inf","-.inf",".inf",".nan","-.nan",".iNF"]"#)
    #expect(
      try json("[., +, -x, 1.2.3, 1e, 0x, 0o8, 1:30, 2001-01-01]", .core)
        == #"[".","+","-x","1.2.3","1e","0x","0o8","1:30","2001-01-01"]"#)
  }

  @Test func `YAML 1.1 has bases, underscores and more words`() throws {
    #expect(try json("[yes, No, ON, off, y, n, Y]", .yaml11) == #"[true,false,true,false,"y","n","Y"]"#)
    #expect(
      try json("[685230, +685_230, 02472256, 0x_0A_74_AE, 0b1010_0111_0100_1010_1110, 190:20:30, -0b11]", .yaml11)
        == "[685230,685230,685230,685230,685230,685230,-3]")
    #expect(
      try json("[6.8523015e+5, 685.230_15e+03, 685_230.15, 190:20:30.15, 1e5, 1.0e5, .5]", .yaml11)
        == #"[6.8523015e+5,685.23015e+03,685230.15,685230.15,"1e5","1.0e5",0.5]"#)
    #expect(try json("[08, 0o7, 0b2, 1:60, 2001-01-01, =]", .yaml11) == #"["08","0o7","0b2","1:60","2001-01-01","="]"#)
  }

  @Test(arguments: YAMLSchema.allCases) func `quoted and block scalars are strings`(schema: YAMLSchema) throws {
    #expect(try json("['1', \"true\", 'null']", schema) == #"["1","true","null"]"#)
    #expect(try json("- |-\n  1\n- >-\n  ~\n", schema) == #"["1","~"]"#)
  }

  @Test(arguments: YAMLSchema.allCases) func `standard tags decide`(schema: YAMLSchema) throws {
    #expect(
      try json("[!!str 1, !!int '3', !!float 2, !!bool \"true\", !!null '', ! 5]", schema)
        == #"["1",3,2.0,true,null,"5"]"#)
    for text in ["!!int x", "!!bool 1", "!!null 0", "!!seq {}", "!!map []", "!!str []", "!!float a", "!!int 1.5"] {
      let error = #expect(throws: YAMLError.self, "\(text)") { try parse(text, schema) }
      #expect(error?.kind == .tagMismatch)
    }
  }

  @Test func `other tags stay with their values`() throws {
    let value = try parse("!celsius 21", .core)
    #expect(value == YAMLTagged("!celsius", 21).map(YAMLValue.tagged))
    #expect(value.tag == "!celsius" && value.intValue == 21 && value != 21)
    #expect(try parse("!celsius '21'", .core).stringValue == "21")
    #expect(try parse("!!binary R0lG", .core).tag == "tag:yaml.org,2002:binary")
    #expect(try parse("%TAG !e! tag:e.com,2000:\n--- !e!x [1]", .core).tag == "tag:e.com,2000:x")
  }
}
