//! Colour, pipes, disks.

use super::*;

#[test]
fn colour_follows_the_terminal_and_no_color() {
    let colour = |set: &[(&str, &str)]| {
        let mut command = on_sample(&["show", "3f9c"]);
        command.envs(set.iter().copied());
        succeed(command).stdout.contains('\x1b')
    };
    assert!(!colour(&[]));
    assert!(colour(&[("CLICOLOR_FORCE", "1")]));
    assert!(!colour(&[("NO_COLOR", "1")]));
    assert!(!colour(&[("NO_COLOR", "1"), ("TERM", "xterm")]));
}

#[test]
fn a_closed_pipe_is_silent_success() {
    let mention = succeed(on_sample(&["mention", "e20b"])).stdout;
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["show", "e20b"],
        &["show", "e20b", "--json"],
        &["stores"],
        &["doctor"],
        &["mention", "3f9c"],
        &["prepare", mention.trim_end()],
        &["prepare", "x", "--json"],
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = on_sample(args);
        let answer = answer(command.stdout(writer).output().unwrap());
        assert_eq!(answer.status, 0, "{args:?}: {}", answer.stderr);
        assert!(
            !answer.stderr.contains("error"),
            "{args:?}: {}",
            answer.stderr
        );
    }
    for args in [
        &["--help"][..],
        &["--version"],
        &["man"],
        &["completions", "bash"],
        &["uri", "encode", "x"],
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let answer = answer(sref(args).stdout(writer).output().unwrap());
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for mut command in [
        on_sample(&["list"]),
        sref(&["--help"]),
        sref(&["list", "--help"]),
        sref(&["--version"]),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let answer = answer(command.stdout(full).output().unwrap());
        assert_eq!(answer.status, 1, "{command:?}");
        assert!(
            answer.stderr.starts_with("error[cli.io]: "),
            "{}",
            answer.stderr
        );
    }
}
