//! DER as a tree of tags, lengths and values. Malformed lengths can also be written.

/// Form in which a length is written.
#[derive(Clone, Copy)]
pub enum Length {
    /// The only form that DER allows.
    Minimal,
    /// A form that is one byte longer than needed.
    Long,
    /// The indefinite length of BER, with its end.
    Indefinite,
    /// A length that is wrong by this number of bytes.
    Wrong(isize),
}

/// A value. If it contains nodes, it is divided into them.
#[derive(Clone)]
pub enum Value {
    /// Bytes that are not divided.
    Bytes(Vec<u8>),
    /// Nodes one after another.
    Nodes(Vec<Node>),
}

/// One tag, length and value.
#[derive(Clone)]
pub struct Node {
    /// The identifier byte.
    pub tag: u8,
    /// Form of the length.
    pub length: Length,
    /// The contents.
    pub value: Value,
}

impl Node {
    /// Makes a node that holds bytes.
    pub fn bytes(tag: u8, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            tag,
            length: Length::Minimal,
            value: Value::Bytes(bytes.into()),
        }
    }

    /// Makes a node that holds nodes.
    pub fn nodes(tag: u8, nodes: Vec<Self>) -> Self {
        Self {
            tag,
            length: Length::Minimal,
            value: Value::Nodes(nodes),
        }
    }
}

/// Reads bytes that consist of nodes. An octet string that contains a node is divided, too.
pub fn read(mut bytes: &[u8]) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    while !bytes.is_empty() {
        let (&tag, rest) = bytes.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (len, rest) = match first {
            ..=0x7f => (usize::from(first), rest),
            0x81 => (usize::from(*rest.first()?), &rest[1..]),
            0x82 => {
                let (len, rest) = rest.split_first_chunk()?;
                (usize::from(u16::from_be_bytes(*len)), rest)
            }
            _ => return None,
        };
        let (value, rest) = rest.split_at_checked(len)?;
        let holds_others = tag & 0x20 != 0 || tag == 4 && matches!(value.first(), Some(4 | 0x30));
        let inner = if holds_others { read(value) } else { None };
        nodes.push(match inner {
            Some(inner) => Node::nodes(tag, inner),
            None => Node::bytes(tag, value),
        });
        bytes = rest;
    }
    Some(nodes)
}

/// Writes nodes one after another.
pub fn write(nodes: &[Node]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for node in nodes {
        let value = match &node.value {
            Value::Bytes(value) => value.clone(),
            Value::Nodes(nodes) => write(nodes),
        };
        bytes.push(node.tag);
        match node.length {
            Length::Indefinite => bytes.push(0x80),
            Length::Long => write_length(&mut bytes, value.len(), 1),
            Length::Minimal => write_length(&mut bytes, value.len(), 0),
            Length::Wrong(by) => write_length(&mut bytes, value.len().saturating_add_signed(by), 0),
        }
        bytes.extend(value);
        if let Length::Indefinite = node.length {
            bytes.extend([0, 0]);
        }
    }
    bytes
}

/// Writes a length with `more` bytes beyond the shortest form.
fn write_length(bytes: &mut Vec<u8>, len: usize, more: usize) {
    let needed = match len {
        ..0x80 => 0,
        0x80..0x100 => 1,
        _ => 2,
    };
    let count = needed + more;
    if count > 0 {
        bytes.push(0x80 | count as u8);
        bytes.extend(&len.to_be_bytes()[8 - count..]);
    } else {
        bytes.push(len as u8);
    }
}

/// Number of nodes at every depth.
pub fn count(nodes: &[Node]) -> usize {
    let inner = |node: &Node| match &node.value {
        Value::Bytes(_) => 0,
        Value::Nodes(nodes) => count(nodes),
    };
    nodes.iter().map(|node| 1 + inner(node)).sum()
}

/// Calls `change` with the siblings of node number `at` and the node's index among them. Outer
/// nodes are numbered before the nodes inside them.
pub fn change_at(
    nodes: &mut Vec<Node>,
    at: &mut usize,
    change: &mut dyn FnMut(&mut Vec<Node>, usize),
) {
    for i in 0..nodes.len() {
        if *at == 0 {
            *at = usize::MAX;
            return change(nodes, i);
        }
        *at -= 1;
        if let Value::Nodes(inner) = &mut nodes[i].value {
            change_at(inner, at, change);
            if *at == usize::MAX {
                return;
            }
        }
    }
}
