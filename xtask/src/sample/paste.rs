//! Long pastes that a script names instead of holding them: `{{worker-log 430}}`.

use std::fmt::Write as _;

/// Puts the lines of a table in the place of `{{NAME COUNT}}`.
pub(super) fn expand(text: &str) -> Result<String, &'static str> {
    let Some((before, rest)) = text.split_once("{{") else {
        return Ok(text.to_owned());
    };
    let (call, after) = rest.split_once("}}").ok_or("an open `{{`")?;
    let (name, count) = call.split_once(' ').ok_or("a paste needs a count")?;
    let count: u64 = count.parse().map_err(|_| "a paste needs a count")?;
    let lines = match name {
        "worker-log" => worker_log(count),
        "bench-table" => bench_table(count),
        _ => return Err("no such paste"),
    };
    Ok(format!("{before}{}{after}", lines.trim_end()))
}

/// Numbers that look like measurements and are the same on every run.
fn scatter(n: u64) -> u64 {
    let mixed = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ (mixed >> 31)) % 1000
}

/// The log of a run with workers being killed and one pause of the database.
fn worker_log(count: u64) -> String {
    const QUEUES: [&str; 5] = ["mail", "sync", "export", "digest", "invoice"];
    let pause = count / 2..count / 2 + 40;
    let mut out = String::new();
    for n in 0..count {
        let (worker, noise) = (scatter(n) % 40, scatter(n + 7000));
        let ms = n * 173 + noise % 90 + if n >= pause.end { 31_400 } else { 0 };
        let clock = format!(
            "02:{:02}:{:02}.{:03}",
            14 + ms / 60_000,
            ms / 1000 % 60,
            ms % 1000
        );
        let queue = QUEUES[usize::try_from(noise % 5).unwrap_or(0)];
        let job = 41_800 + n;
        let _ = if pause.contains(&n) {
            writeln!(
                out,
                "{clock} WARN  worker-{worker:02} connect failed: the database system is starting up; retry in {} ms",
                250 << (noise % 8).min(7)
            )
        } else if noise < 120 {
            writeln!(
                out,
                "{clock} ERROR worker-{worker:02} killed by chaos (SIGKILL) while running job {job} of {queue}, lease runs out in {} s",
                12 + noise % 48
            )
        } else if noise < 220 {
            writeln!(
                out,
                "{clock} INFO  worker-{worker:02} renewed the lease of job {job} ({queue}), running for {} s",
                20 + noise * 5
            )
        } else {
            writeln!(
                out,
                "{clock} INFO  worker-{worker:02} job {job} of {queue} done in {} ms, popped after {} ms, attempt {}",
                50 + noise * 3,
                3 + noise % 7,
                1 + u64::from(noise > 960)
            )
        };
    }
    out
}

/// A benchmark over batch sizes and worker counts, as a Markdown table.
fn bench_table(count: u64) -> String {
    const BATCH: [u64; 6] = [1, 2, 5, 10, 20, 50];
    let mut out = String::from(
        "| batch | workers | jobs/min | pop p50 ms | pop p99 ms | commits/s | app p99 ms |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for n in 0..count {
        let batch = BATCH[usize::try_from(n % 6).unwrap_or(0)];
        let workers = 2 + n / 6;
        let (noise, jobs) = (scatter(n), workers * 410 + scatter(n + 50));
        let _ = writeln!(
            out,
            "| {batch} | {workers} | {jobs} | {}.{} | {}.{} | {} | {}.{} |",
            2 + workers / (4 * batch),
            noise % 10,
            6 + workers / batch,
            noise / 10 % 10,
            jobs / (30 * batch),
            41 + workers / (6 * batch),
            noise / 100
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_stands_in_its_place_and_is_the_same_each_time() {
        let text = expand("see {{worker-log 20}} above").unwrap();
        assert!(text.starts_with("see 02:14:00") && text.ends_with(" above"));
        assert_eq!(text.lines().count(), 20);
        assert_eq!(text, expand("see {{worker-log 20}} above").unwrap());
        assert_eq!(expand("no paste"), Ok("no paste".to_owned()));
        assert!(expand("{{worker-log}}").is_err() && expand("{{worker-log 3").is_err());
    }
}
