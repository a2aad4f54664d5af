//! A stub API server: lists made objects in the way that the client asks for, then updates them at a constant rate.
use std::{
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use serde_json::json;

use crate::{protobuf, widget};

/// Bytes that the server buffers while it lists, as the API server does while it has more to send.
const BUFFER: usize = 32 * 1024;

pub struct Server {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    objects: usize,
    floats: bool,
    updates: Mutex<Updates>,
    requested: Condvar,
}

/// The updates that open watches send.
#[derive(Clone, Copy, Default)]
struct Updates {
    /// Incremented with each request for updates.
    round: u64,
    per_second: u64,
    total: u64,
}

impl Server {
    pub fn start(objects: usize, floats: bool) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            objects,
            floats,
            updates: Mutex::default(),
            requested: Condvar::new(),
        });
        let accepted = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&accepted);
                // An error means that the client has closed the connection.
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Ok(Self { port, shared })
    }

    /// Sends `total` updates to each open watch.
    pub fn update(&self, per_second: u64, total: u64) {
        let mut updates = self.shared.updates.lock();
        *updates = Updates {
            round: updates.round + 1,
            per_second,
            total,
        };
        self.shared.requested.notify_all();
    }
}

impl Shared {
    /// Answers the requests of one connection.
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut requests = BufReader::new(stream);
        loop {
            let mut request = String::new();
            if requests.read_line(&mut request)? == 0 {
                return Ok(());
            }
            let mut header = String::new();
            let (mut metadata_only, mut protobuf) = (false, false);
            while requests.read_line(&mut header)? > 2 {
                metadata_only |= header.contains("as=PartialObjectMetadata");
                protobuf |= header.contains("application/vnd.kubernetes.protobuf");
                header.clear();
            }
            let uri = request.split(' ').nth(1).unwrap_or_default();
            let query = uri.split_once('?').map_or("", |(_, query)| query);
            let parameter = |name: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.to_owned())
            };
            let is_watch = matches!(parameter("watch").as_deref(), Some("true" | "1"));
            let form = match (metadata_only, protobuf && is_watch) {
                (false, _) => Form::Whole,
                (true, false) => Form::Metadata,
                (true, true) => Form::Protobuf,
            };
            let mut body = Body::open(stream, form, self.floats)?;
            if is_watch {
                self.watch(&mut body, parameter("sendInitialEvents").is_some())?;
            } else {
                let number = |name| parameter(name).and_then(|text| text.parse().ok());
                let start = number("continue").unwrap_or(0);
                let limit = number("limit").filter(|limit| *limit > 0);
                self.list(&mut body, start, limit.unwrap_or(self.objects))?;
            }
            body.close()?;
        }
    }

    fn list(&self, body: &mut Body<'_>, start: usize, limit: usize) -> io::Result<()> {
        let end = self.objects.min(start + limit);
        let next = if end < self.objects {
            end.to_string()
        } else {
            String::new()
        };
        write!(
            body.bytes,
            r#"{{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{{"continue":"{next}","resourceVersion":"{}"}},"items":["#,
            self.objects
        )?;
        for index in start..end {
            if index > start {
                body.bytes.push(b',');
            }
            body.object(index, index as u64 + 1, 0);
            body.flush_if_full()?;
        }
        body.bytes.extend_from_slice(b"]}");
        Ok(())
    }

    fn watch(&self, body: &mut Body<'_>, initial: bool) -> io::Result<()> {
        let mut version = self.objects as u64;
        let mut seen = self.updates.lock().round;
        if initial {
            for index in 0..self.objects {
                body.event("ADDED", index, index as u64 + 1, 0)?;
                body.flush_if_full()?;
            }
            body.end_of_list(version)?;
        }
        body.flush()?;
        loop {
            let updates = {
                let mut updates = self.updates.lock();
                self.requested
                    .wait_while(&mut updates, |updates| updates.round == seen);
                *updates
            };
            seen = updates.round;
            let interval = Duration::from_secs(1) / u32::try_from(updates.per_second).unwrap_or(1);
            let start = Instant::now();
            for number in 0..updates.total {
                let due = start + interval * u32::try_from(number).unwrap_or(u32::MAX);
                thread::sleep(due.saturating_duration_since(Instant::now()));
                version += 1;
                // A step that is prime to the number of objects spreads the updates over the whole cache.
                let index = usize::try_from(number * 7919).unwrap_or(0) % self.objects;
                body.event("MODIFIED", index, version, widget::now())?;
                body.flush()?;
            }
        }
    }
}

/// What a client asked for.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Whole,
    Metadata,
    /// The metadata, in a watch.
    Protobuf,
}

/// A chunked response body.
struct Body<'s> {
    stream: &'s TcpStream,
    form: Form,
    floats: bool,
    bytes: Vec<u8>,
    /// The JSON of one object.
    text: String,
}

impl<'s> Body<'s> {
    fn open(mut stream: &'s TcpStream, form: Form, floats: bool) -> io::Result<Self> {
        let media_type = match form {
            Form::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
            Form::Whole | Form::Metadata => "application/json",
        };
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        )?;
        Ok(Self {
            stream,
            form,
            floats,
            bytes: Vec::with_capacity(2 * BUFFER),
            text: String::new(),
        })
    }

    fn event(&mut self, type_: &str, index: usize, version: u64, sent: u64) -> io::Result<()> {
        if self.form == Form::Protobuf {
            self.text.clear();
            widget::write_json(&mut self.text, true, index, version, sent);
            let object = serde_json::from_str(&self.text)?;
            self.bytes.extend(protobuf::frame(type_, &object));
            return Ok(());
        }
        write!(self.bytes, r#"{{"type":"{type_}","object":"#)?;
        self.object(index, version, sent);
        self.bytes.extend_from_slice(b"}\n");
        Ok(())
    }

    /// Writes the bookmark after a streaming list.
    fn end_of_list(&mut self, version: u64) -> io::Result<()> {
        let object = json!({
            "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": {
                "annotations": {"k8s.io/initial-events-end": "true"},
                "resourceVersion": version.to_string(),
            },
        });
        if self.form == Form::Protobuf {
            self.bytes.extend(protobuf::frame("BOOKMARK", &object));
            return Ok(());
        }
        writeln!(self.bytes, r#"{{"type":"BOOKMARK","object":{object}}}"#)
    }

    fn object(&mut self, index: usize, version: u64, sent: u64) {
        self.text.clear();
        let metadata_only = self.form != Form::Whole;
        widget::write_json(&mut self.text, metadata_only, index, version, sent);
        if self.floats {
            let numbers = format!(
                r#""spec":{{"ratios":[-{index}.5e-7,0.{index},1E+{}],"#,
                index % 300
            );
            self.text = self.text.replacen(r#""spec":{"#, &numbers, 1);
        }
        self.bytes.extend_from_slice(self.text.as_bytes());
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.bytes.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let head = format!("{:x}\r\n", self.bytes.len());
        self.bytes.extend_from_slice(b"\r\n");
        let chunk = [head.as_bytes(), &self.bytes].concat();
        self.bytes.clear();
        self.stream.write_all(&chunk)
    }

    fn close(mut self) -> io::Result<()> {
        self.flush()?;
        self.stream.write_all(b"0\r\n\r\n")
    }
}
