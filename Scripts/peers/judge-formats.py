"""Reads documents that CurlewXML and CurlewSerialization wrote, with parsers of other projects.

    judge-formats.py xml|plist|form FILE [OUTPUT]

Each line of FILE is a JSON object with a document and its expected content. `plist` also writes each value with plistlib, as one
JSON object per line of OUTPUT. Exits with 1 when a document is read differently, after printing the first such documents.
"""
import base64, ctypes, ctypes.util, datetime, json, plistlib, struct, sys
from urllib.parse import parse_qsl
from xml.etree import ElementTree

kind, path = sys.argv[1:3]
faults = 0


def fault(what, record):
    global faults
    faults += 1
    if faults <= 5:
        print(what, json.dumps(record, ensure_ascii=False)[:2000])


# --- XML: Python's reader (expat) and libxml2's xmlTextReader ---

def element_tree(element):
    children = [element.text or ""]
    for child in element:
        children += [element_tree(child), child.tail or ""]
    return {"name": element.tag, "attributes": dict(element.attrib), "children": [c for c in children if c != ""]}


def libxml2():
    lib = ctypes.CDLL("libxml2.so.2")
    lib.xmlReaderForMemory.restype = ctypes.c_void_p
    lib.xmlReaderForMemory.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    for name in ["Read", "NodeType", "IsEmptyElement", "MoveToNextAttribute", "MoveToElement", "IsNamespaceDecl"]:
        getattr(lib, "xmlTextReader" + name).argtypes = [ctypes.c_void_p]
    for name in ["ConstLocalName", "ConstNamespaceUri", "ConstValue", "ConstName"]:
        getattr(lib, "xmlTextReader" + name).argtypes = [ctypes.c_void_p]
        getattr(lib, "xmlTextReader" + name).restype = ctypes.c_char_p
    lib.xmlFreeTextReader.argtypes = [ctypes.c_void_p]
    return lib


def text(value):
    return (value or b"").decode()


# Without it libxml2 leaves character references in namespace names as they are. The documents have no DTD.
XML_PARSE_NOENT = 2


def reader_tree(lib, data):
    reader = lib.xmlReaderForMemory(data, len(data), None, None, XML_PARSE_NOENT)

    def name():
        uri = lib.xmlTextReaderConstNamespaceUri(reader)
        local = text(lib.xmlTextReaderConstLocalName(reader))
        return "{%s}%s" % (text(uri), local) if uri else local

    root = {"children": []}
    stack = [root]
    while (status := lib.xmlTextReaderRead(reader)) == 1:
        children = stack[-1]["children"]
        node = lib.xmlTextReaderNodeType(reader)
        if node == 1:
            element = {"name": name(), "attributes": {}, "children": []}
            is_empty = lib.xmlTextReaderIsEmptyElement(reader)
            while lib.xmlTextReaderMoveToNextAttribute(reader) == 1:
                if not lib.xmlTextReaderIsNamespaceDecl(reader):
                    element["attributes"][name()] = text(lib.xmlTextReaderConstValue(reader))
            lib.xmlTextReaderMoveToElement(reader)
            children.append(element)
            if not is_empty:
                stack.append(element)
        elif node == 15:
            stack.pop()
        elif node in (3, 4, 13, 14):
            value = text(lib.xmlTextReaderConstValue(reader))
            if children and isinstance(children[-1], str):
                children[-1] += value
            else:
                children.append(value)
        elif node == 8:
            children.append(["comment", text(lib.xmlTextReaderConstValue(reader))])
        elif node == 7:
            children.append(["instruction", text(lib.xmlTextReaderConstName(reader)), text(lib.xmlTextReaderConstValue(reader))])
        else:
            children.append(["node", node])
    lib.xmlFreeTextReader(reader)
    return root["children"][0] if status == 0 else None


def without_others(element):
    """The element as Python's reader has it: no comments and instructions, the texts around them joined."""
    children = []
    for child in element["children"]:
        if isinstance(child, list):
            continue
        if isinstance(child, dict):
            children.append(without_others(child))
        elif children and isinstance(children[-1], str):
            children[-1] += child
        else:
            children.append(child)
    return {"name": element["name"], "attributes": element["attributes"], "children": children}


def with_dictionary(tree):
    """The element with its pairs of attributes as a dictionary, and so those below it."""
    if not isinstance(tree, dict):
        return tree
    children = [with_dictionary(child) for child in tree["children"]]
    return {"name": tree["name"], "attributes": dict(tree["attributes"]), "children": children}


def judge_xml(record):
    data, tree = record["document"].encode(), with_dictionary(record["tree"])
    try:
        if element_tree(ElementTree.fromstring(data)) != without_others(tree):
            fault("Python's reader:", record)
    except ElementTree.ParseError as error:
        fault(f"Python's reader: {error}", record)
    if reader_tree(LIBXML2, data) != tree:
        fault("libxml2's reader:", record)


# --- Property lists: plistlib ---

EPOCH = datetime.datetime(2001, 1, 1)


def plain(value):
    """A value of plistlib as the records have it."""
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"integer": str(value)}
    if isinstance(value, float):
        return {"real": "nan" if value != value else struct.pack(">d", value).hex()}
    if isinstance(value, str):
        return {"string": value}
    if isinstance(value, bytes):
        return {"data": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime):
        delta = value - EPOCH
        return {"date": str(delta.days * 86400 + delta.seconds)}
    if isinstance(value, plistlib.UID):
        return {"uid": str(value.data)}
    if isinstance(value, list):
        return {"array": [plain(v) for v in value]}
    return {"dictionary": [[k, plain(v)] for k, v in value.items()]}


def value_of(record):
    (kind, value), = record.items()
    if kind in ("bool", "string"):
        return value
    if kind == "integer":
        return int(value)
    if kind == "real":
        return float("nan") if value == "nan" else struct.unpack(">d", bytes.fromhex(value))[0]
    if kind == "data":
        return base64.b64decode(value)
    if kind == "date":
        return EPOCH + datetime.timedelta(seconds=int(value))
    if kind == "uid":
        return plistlib.UID(int(value))
    if kind == "array":
        return [value_of(v) for v in value]
    return {k: value_of(v) for k, v in value}


def judge_plist(record):
    for form in ("xml", "binary"):
        if form not in record:
            continue
        try:
            found = plain(plistlib.loads(base64.b64decode(record[form])))
        except Exception as error:
            fault(f"plistlib, {form}: {error!r}", record)
            continue
        if found != record["value"]:
            fault(f"plistlib, {form}, read {found}:", record)
    value = value_of(record["value"])
    written = {"binary": base64.b64encode(plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)).decode()}
    if "xml" in record:
        written["xml"] = base64.b64encode(plistlib.dumps(value, sort_keys=False)).decode()
    OUTPUT.write(json.dumps(written) + "\n")


# --- Forms: parse_qsl ---

def judge_form(record):
    found = [list(pair) for pair in parse_qsl(record["document"], keep_blank_values=True, errors="strict")]
    if found != record["pairs"]:
        fault(f"parse_qsl read {found}:", record)


LIBXML2 = libxml2() if kind == "xml" else None
OUTPUT = open(sys.argv[3], "w") if len(sys.argv) > 3 else None
judge = {"xml": judge_xml, "plist": judge_plist, "form": judge_form}[kind]
count = 0
with open(path, encoding="utf-8") as file:
    for line in file:
        judge(json.loads(line))
        count += 1
if OUTPUT:
    OUTPUT.close()
print(f"{kind}: {count} documents, {faults} faults")
sys.exit(1 if faults or not count else 0)
