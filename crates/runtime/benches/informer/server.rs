//! A stub API server: lists made objects in the way that the client asks for, then updates them at a constant rate.
use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use crate::widget;

/// Bytes that the server buffers while it lists, as the API server does while it has more to send.
const BUFFER: usize = 32 * 1024;

pub struct Server {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    objects: usize,
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
    pub fn start(objects: usize) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            objects,
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
            let mut metadata_only = false;
            while requests.read_line(&mut header)? > 2 {
                metadata_only |= header.contains("as=PartialObjectMetadata");
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
            let mut body = Body::open(stream, metadata_only)?;
            if matches!(parameter("watch").as_deref(), Some("true" | "1")) {
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
        let _ = write!(
            body.text,
            r#"{{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{{"continue":"{next}","resourceVersion":"{}"}},"items":["#,
            self.objects
        );
        for index in start..end {
            if index > start {
                body.text.push(',');
            }
            body.object(index, index as u64 + 1, 0);
            body.flush_if_full()?;
        }
        body.text.push_str("]}");
        Ok(())
    }

    fn watch(&self, body: &mut Body<'_>, initial: bool) -> io::Result<()> {
        let mut version = self.objects as u64;
        let mut seen = self.updates.lock().round;
        if initial {
            for index in 0..self.objects {
                body.event("ADDED", index, index as u64 + 1, 0);
                body.flush_if_full()?;
            }
            let _ = writeln!(
                body.text,
                r#"{{"type":"BOOKMARK","object":{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"annotations":{{"k8s.io/initial-events-end":"true"}},"creationTimestamp":null,"resourceVersion":"{version}"}}}}}}"#
            );
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
                body.event("MODIFIED", index, version, widget::now());
                body.flush()?;
            }
        }
    }
}

/// A chunked response body.
struct Body<'s> {
    stream: &'s TcpStream,
    metadata_only: bool,
    text: String,
}

impl<'s> Body<'s> {
    fn open(mut stream: &'s TcpStream, metadata_only: bool) -> io::Result<Self> {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")?;
        Ok(Self {
            stream,
            metadata_only,
            text: String::with_capacity(2 * BUFFER),
        })
    }

    fn event(&mut self, type_: &str, index: usize, version: u64, sent: u64) {
        let _ = write!(self.text, r#"{{"type":"{type_}","object":"#);
        self.object(index, version, sent);
        self.text.push_str("}\n");
    }

    fn object(&mut self, index: usize, version: u64, sent: u64) {
        widget::write_json(&mut self.text, self.metadata_only, index, version, sent);
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.text.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let chunk = format!("{:x}\r\n{}\r\n", self.text.len(), self.text);
        self.text.clear();
        self.stream.write_all(chunk.as_bytes())
    }

    fn close(mut self) -> io::Result<()> {
        self.flush()?;
        self.stream.write_all(b"0\r\n\r\n")
    }
}
