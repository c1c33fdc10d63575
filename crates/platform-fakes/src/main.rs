//! Runs one fake until it is stopped, so that a developer can try an adapter by hand. A person named Jo says each line
//! of the input, and the messages of the bot are printed.

use std::{io, process::ExitCode};

use clap::{Parser, ValueEnum};
use greenroom_platform_fakes::{Discord, Post, Slack, Telegram};
use tokio::io::{AsyncBufReadExt, BufReader};

/// A fake of a chat platform on 127.0.0.1.
#[derive(Parser)]
#[command(name = "platform-fakes")]
struct Arguments {
    /// Which platform.
    platform: Platform,
    /// The port; 0 is any free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[derive(Clone, Copy, ValueEnum)]
enum Platform {
    Discord,
    Telegram,
    Slack,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> io::Result<()> {
    match arguments.platform {
        Platform::Discord => {
            let fake = Discord::start_at(arguments.port).await?;
            let (channel, jo) = (fake.channel("stage"), fake.person("Jo"));
            println!("{}\ntoken {}\nchannel {channel}", fake.url(), fake.token());
            let say = |line: &str| {
                fake.say(channel, jo, line);
            };
            tokio::select! { ended = talk(say) => ended, () = print(async |n| fake.posts_when(n).await) => Ok(()) }
        }
        Platform::Telegram => {
            let fake = Telegram::start_at(arguments.port).await?;
            let (chat, jo) = (fake.group("Stage"), fake.person("Jo"));
            println!("{}\ntoken {}\nchat {chat}", fake.url(), fake.token());
            let say = |line: &str| {
                fake.say(chat, jo, line);
            };
            tokio::select! { ended = talk(say) => ended, () = print(async |n| fake.posts_when(n).await) => Ok(()) }
        }
        Platform::Slack => {
            let fake = Slack::start_at(arguments.port).await?;
            let (channel, jo) = (fake.channel("stage"), fake.person("Jo"));
            println!("{}\nbot token {}\napp token {}", fake.url(), fake.bot_token(), fake.app_token());
            println!("signing secret {}\nchannel {channel}", fake.signing_secret());
            let say = |line: &str| {
                fake.say(&channel, &jo, line);
            };
            tokio::select! { ended = talk(say) => ended, () = print(async |n| fake.posts_when(n).await) => Ok(()) }
        }
    }
}

/// Says each line of the input, then serves until the program is stopped.
async fn talk(say: impl Fn(&str)) -> io::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        say(&line);
    }
    std::future::pending().await
}

async fn print(mut wait: impl AsyncFnMut(usize) -> Vec<Post>) {
    let mut shown = 0;
    loop {
        for post in &wait(shown + 1).await[shown..] {
            println!("{}: {}", post.face.name.as_deref().unwrap_or("bot"), post.text);
            shown += 1;
        }
    }
}
