/** Programs that start others, or read a language of their own, in ways nobody accounts for here. */
import { guessed, type Tool } from "./options.ts";

type Hides = "program" | "commands";

/**
 * `program`: it does its own work, so a rule that names it allows that. `commands`: it is there to start others, so only a rule that names
 * all of it does. Either way the commands among its arguments are denied where they would be denied alone.
 */
const REASONS: readonly (readonly [hides: Hides, why: string, names: string])[] = [
  [
    "commands",
    "it runs as somebody else or in another place",
    "run0 pkexec sg newgrp setpriv capsh nsenter bwrap firejail proot fakeroot fakechroot systemd-run systemd-nspawn machinectl loginctl gosu su-exec",
  ],
  [
    "program",
    "it starts programs on another machine",
    "ssh sftp slogin rsh rlogin mosh autossh sshpass pdsh ansible ansible-playbook helm vagrant telnet ftp lftp nc ncat netcat socat",
  ],
  [
    "program",
    "it may download a program and run it",
    "yarnpkg deno gem cpan cpanm easy_install composer opam cabal stack ghcup rustup nvm conda mamba brew apt apt-get aptitude dpkg yum dnf rpm apk pacman snap flatpak nix nix-shell nix-env",
  ],
  ["commands", "it runs text that is not accounted for", "trap alias enable hash"],
  [
    "program",
    "it runs text that is not accounted for",
    "expect tclsh wish luajit octave R Rscript julia ghci runghc runhaskell irb pry erb rake gnuplot m4 dc maxima gp ocaml guile racket scheme sbcl clisp emacs jshell groovy psql mysql mariadb sqlite sqlite3 duckdb litecli mycli pgcli usql sqlcmd isql mongo mongosh redis-cli jrunscript jjs osascript",
  ],
  [
    "program",
    "it is an editor or a pager, which starts programs",
    "vi vim vim.tiny vim.basic vim.nox gvim evim rgvim gvimdiff emacsclient nvim view rvim rview vimdiff vimtutor ex ed red nano pico joe micro helix hx kak mg jed less more most pg man info w3m lynx links elinks mutt mail mailx",
  ],
  [
    "commands",
    "it starts other programs",
    "scriptreplay screen tmux byobu dtach abtach parallel sem rush at batch crontab anacron start-stop-daemon daemonize dbus-run-session cpulimit setarch linux32 linux64 rlwrap unbuffer torify torsocks proxychains tsocks faketime chronic run-parts run-mailcap entr watchexec nodemon foreman logsave ld.so ld-linux-x86-64.so ld-linux-aarch64.so ld-linux.so ld-musl-x86_64.so ld-musl-aarch64.so choom eatmydata systemd-inhibit systemd-cat dbus-launch xvfb-run tini dumb-init catatonit chpst softlimit envdir setuidgid envuidgid execlineb hyperfine srun salloc sbatch mpirun mpiexec concurrently",
  ],
  [
    "program",
    "it starts or changes other programs",
    "gdb lldb rr perf valgrind dbus-send cgdb gdb-multiarch gdbtui rust-gdb rust-lldb dlv busctl gdbus vipe xdg-open open gio exo-open split csplit install-info update-alternatives tshark tcpdump nmap openvpn iftop aspell cowsay cowthink facter puppet knife pandoc latex pdflatex xelatex lualatex tex gcore ssh-agent ssh-keygen ssh-keyscan gpg restic rclone borg git-shell git-upload-pack",
  ],
];

export const OPAQUE: Readonly<Record<string, Tool>> = Object.fromEntries(
  REASONS.flatMap(([hides, why, names]) =>
    names
      .split(" ")
      .map((name): [string, Tool] => [name, (args, _, input) => guessed(`${name}: ${why}`, args, input, hides)]),
  ),
);
