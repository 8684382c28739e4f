// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
//! Messages to and fro between two nodes over an RC connection, by the `ibverbs` crate; every word of every message is compared.
//!
//!     pingpong [-d DEVICE] [-n MESSAGES] [-s WORDS] [-g GID_INDEX]            on one node: waits for the other on TCP port 18600
//!     pingpong [-d DEVICE] [-n MESSAGES] [-s WORDS] [-g GID_INDEX] SERVER     on the other
//!
//! Both sides take the same -n and -s. -g is needed on RoCE (index 1 is the interface's IPv4 address), and left out on InfiniBand.
use ibverbs::{ibv_qp_type, ibv_wc, CompletionQueue, QueuePairEndpoint};
use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PORT: u16 = 18600;
const SEND: u64 = 1;
const RECEIVE: u64 = 2;

struct Options {
    messages: u64,
    words: usize,
    gid: Option<u32>,
    device: Option<String>,
    server: Option<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut o = Options { messages: 100, words: 512, gid: None, device: None, server: None };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().ok_or(format!("{a} needs a value"));
        match a.as_str() {
            "-d" => o.device = Some(value()?),
            "-n" => o.messages = value()?.parse()?,
            "-s" => o.words = value()?.parse()?,
            "-g" => o.gid = Some(value()?.parse()?),
            _ if a.starts_with('-') => return Err(format!("unknown option {a}").into()),
            _ => o.server = Some(a),
        }
    }
    Ok(o)
}

/// What word `i` of message `n` of this side holds.
fn word(n: u64, i: usize, from_client: bool) -> u64 {
    (n << 32 | i as u64) ^ if from_client { u64::MAX } else { 0 }
}

/// Wait until work request `id` has completed; other completions on the way are noted in `early`.
fn completed(cq: &CompletionQueue, id: u64, early: &mut Vec<u64>) -> Result<(), Box<dyn Error>> {
    let end = Instant::now() + Duration::from_secs(60);
    let mut wc = [ibv_wc::default(); 16];
    while !early.contains(&id) {
        for c in cq.poll(&mut wc)?.iter() {
            if let Some((status, vendor)) = c.error() {
                return Err(format!("work request {} failed: {status:?}, vendor error {vendor:#x}", c.wr_id()).into());
            }
            early.push(c.wr_id());
        }
        if Instant::now() > end {
            return Err("no completion within 60 s".into());
        }
        sleep(Duration::from_micros(200));      // the other node may share this processor
    }
    early.retain(|&e| e != id);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let o = options()?;
    let client = o.server.is_some();
    let devices = ibverbs::devices()?;
    let wanted = |name: &str| o.device.as_ref().is_none_or(|d| d == name);
    let device = devices
        .iter()
        .find(|d| wanted(&d.name().unwrap_or_default().to_string_lossy()))
        .ok_or("there is no such RDMA device")?;
    let context = device.open()?;
    let cq = context.create_cq(16, 0)?;
    let pd = context.alloc_pd()?;
    let mut builder = pd.create_qp(&cq, &cq, ibv_qp_type::IBV_QPT_RC);
    builder.set_timeout(20).set_retry_count(7).set_rnr_retry(7);
    if let Some(gid) = o.gid {
        builder.set_gid_index(gid);
    }
    let prepared = builder.build()?;

    // Who I am, and who the other is, by TCP.
    let mut stream = match &o.server {
        Some(name) => TcpStream::connect((name.as_str(), PORT))?,
        None => TcpListener::bind(("::", PORT))?.accept()?.0,
    };
    bincode::serialize_into(&mut stream, &prepared.endpoint())?;
    let peer: QueuePairEndpoint = bincode::deserialize_from(&mut stream)?;
    let mut qp = prepared.handshake(peer)?;

    let mut out = pd.allocate::<u64>(o.words)?;
    let mut inn = pd.allocate::<u64>(o.words)?;
    let mut early = Vec::new();
    // A receive is posted on both sides before the first message leaves.
    // SAFETY: neither region is touched between a post and its completion.
    unsafe { qp.post_receive(&mut inn, .., RECEIVE)? };
    bincode::serialize_into(&mut stream, &true)?;
    let _: bool = bincode::deserialize_from(&mut stream)?;

    let start = Instant::now();
    for n in 0..o.messages {
        if !client {
            completed(&cq, RECEIVE, &mut early)?;
            check(&inn, n, true)?;
            unsafe { qp.post_receive(&mut inn, .., RECEIVE)? };
        }
        out.iter_mut().enumerate().for_each(|(i, w)| *w = word(n, i, client));
        unsafe { qp.post_send(&mut out, .., SEND)? };
        completed(&cq, SEND, &mut early)?;
        if client {
            completed(&cq, RECEIVE, &mut early)?;
            check(&inn, n, false)?;
            unsafe { qp.post_receive(&mut inn, .., RECEIVE)? };
        }
    }
    let us = start.elapsed().as_micros() as f64 / o.messages as f64;
    println!(
        "{:?}: {} messages of {} bytes each way, every word right, {us:.0} us per round trip",
        device.name().unwrap_or_default(),
        o.messages,
        8 * o.words
    );
    Ok(())
}

fn check(words: &[u64], n: u64, from_client: bool) -> Result<(), String> {
    match words.iter().enumerate().find(|&(i, &w)| w != word(n, i, from_client)) {
        Some((i, w)) => Err(format!("message {n}: word {i} is {w:#x} and should be {:#x}", word(n, i, from_client))),
        None => Ok(()),
    }
}
