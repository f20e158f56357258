/** What only looks: readers, searches, versions, git. */
import type { Rule } from "../rule.ts";
import { allow, arg, ONLY_READS, OUTSIDE, words } from "./allow.ts";

const READERS =
  "{cat,head,tail,wc,nl,tac,rev,cut,paste,join,comm,fold,expand,od,hexdump,strings,base64,cksum,md5sum,sha1sum,sha256sum,sha512sum,basename,dirname,realpath,readlink,pwd,echo,true,false,seq,expr,sleep,uname,whoami,id,nproc,arch,which,ls,stat,du,df,diff,cmp,grep,egrep,fgrep,tr,column,jq,ps,free}";
const LOOKS =
  "{status,log,show,diff,blame,shortlog,describe,rev-parse,rev-list,ls-files,ls-tree,cat-file,merge-base,name-rev,count-objects,show-ref,for-each-ref,check-ignore,grep}";
const VERSIONED =
  "{node,npm,npx,pnpm,yarn,bun,deno,tsc,python,python3,pip,pip3,uv,poetry,ruby,gem,bundle,go,cargo,rustc,java,mvn,gradle,dotnet,php,composer,perl,gcc,g++,clang,make,cmake,docker,git,gh,jq,rg}";
/** It would start a program or write a file. */
const GIT_STEERS = arg("^(--o[pu]|--ext|--textconv|--filters|-O)");

export const TOOLS: readonly Rule[] = [
  allow(
    "readers",
    ONLY_READS,
    { run: [READERS, "**"] },
    {
      examples: {
        match: words("cat a", "ls -la src", "grep -rn x src"),
        not: words("tee a", "rm a", "./cat a", "cat2"),
      },
    },
  ),
  allow(
    "test",
    ONLY_READS,
    { run: ["{test,[,printf,date,file,tree}", "**"] },
    {
      except: [arg("^(-[a-zA-Z]*[vRsCo]|--set|--co)")],
      examples: {
        match: words("test -f a", "[ -d a ]", "date +%s", "tree -L 2"),
        not: words("printf -v PATH x", "tree -o x", "date -s 1"),
      },
    },
  ),
  allow(
    "uniq",
    ONLY_READS,
    { run: ["uniq", "{-c,-d,-u,-i}", "*"] },
    {
      examples: { match: words("uniq -c a"), not: words("uniq a b", "uniq -c a b") },
    },
  ),
  allow(
    "uniq-one",
    ONLY_READS,
    { run: ["uniq", "*"] },
    {
      examples: { match: words("uniq -c", "uniq a"), not: words("uniq a b") },
    },
  ),
  allow("uniq-plain", ONLY_READS, { run: ["uniq"] }, { examples: { match: words("uniq"), not: words("uniq a") } }),
  allow(
    "where",
    ONLY_READS,
    { run: ["command", "{-v,-V}", "**"] },
    {
      examples: { match: words("command -v node"), not: words("command node", "command -p node") },
    },
  ),
  allow(
    "type",
    ONLY_READS,
    { run: ["type", "**"] },
    { examples: { match: words("type npm"), not: words("./type npm") } },
  ),
  allow(
    "containers",
    ONLY_READS,
    { run: ["{docker,podman}", "{ps,images}", "**"] },
    {
      examples: { match: words("docker ps -a"), not: words("docker run x", "docker -H x ps", "docker exec x ps") },
    },
  ),
  allow(
    "node-syntax",
    ONLY_READS,
    { run: ["node", "--check", "*"] },
    {
      except: [arg("^(-[^-]|--[^c]|--c[^h])"), OUTSIDE],
      examples: {
        match: words("node --check a.js"),
        not: words("node a.js", "node --check --import=x", "node --check -e"),
      },
    },
  ),
  allow(
    "php-syntax",
    ONLY_READS,
    { run: ["php", "-l", "*"] },
    {
      except: [arg("^-[^l]|^-l."), OUTSIDE],
      examples: { match: words("php -l a.php"), not: words("php a.php", "php -l -rx", "php -r x") },
    },
  ),
  allow(
    "sort",
    ONLY_READS,
    { run: ["sort", "**"] },
    {
      except: [arg("^(-[^-]*[oT]|--o|--co|--t)")],
      examples: {
        match: words("sort -u a", "sort -rn"),
        not: words("sort -o a b", "sort --compress-program=x a", "sort -uo a"),
      },
    },
  ),
  allow(
    "find",
    ONLY_READS,
    { run: ["find", "**"] },
    {
      except: [arg("^-(exec|ok|delete|fprint|fls|files0)")],
      examples: {
        match: words("find . -name *.ts -type f"),
        not: words("find . -delete", "find . -exec rm x", "find . -fprintf a b"),
      },
    },
  ),
  allow(
    "rg",
    ONLY_READS,
    { run: ["rg", "**"] },
    {
      except: [arg("^(--pre|--hostname-bin|--search-zip|-[a-zA-Z]*z)")],
      examples: { match: words("rg -n x src"), not: words("rg --pre ./x y", "rg --pre=./x y", "rg -nz x") },
    },
  ),
  allow(
    "fd",
    ONLY_READS,
    { run: ["fd", "**"] },
    {
      except: [arg("^(-[a-zA-Z]*[xX]|--exec)")],
      examples: { match: words("fd -e ts"), not: words("fd -x rm", "fd . --exec-batch rm") },
    },
  ),
  allow(
    "streams",
    ONLY_READS,
    { run: ["{sed,awk,gawk,mawk}", "**"] },
    {
      except: [arg("^(-[a-zA-Z]*[if]|--[fi])")],
      examples: {
        match: [["awk", "{print $1}", "a"], ...words("sed -n 1,20p a.ts")],
        not: words("sed -i s/a/b/ a", "sed -n --in-place p a", "awk -f a"),
      },
    },
  ),
  allow(
    "archives",
    ONLY_READS,
    { run: ["{tar,unzip}", "{-l,-tf,tf,-tvf,tvf,-tzf,tzf}", "*"] },
    {
      except: [arg("^-?-[^ltvzf]|:")],
      examples: {
        match: words("tar tf a.tgz", "unzip -l a.zip"),
        not: words("tar tf host:a", "tar xf a", "tar tf --to-command=x"),
      },
    },
  ),
  allow("read", ONLY_READS, { read: "**" }, { examples: { match: ["src/a.ts"], not: ["/etc/hosts", "../x", "~/x"] } }),
  allow(
    "read-tools",
    ONLY_READS,
    { tool: "{read_file,list_directory,glob,grep,git_status,git_diff,git_log}" },
    {
      examples: { match: ["read_file"], not: ["write_file"] },
    },
  ),
  allow(
    "cd",
    "It stays in the workspace.",
    { run: ["{cd,mkdir}", "**"] },
    {
      except: [OUTSIDE, arg("^-$")],
      examples: {
        match: words("cd src", "mkdir -p a/b"),
        not: words("cd ..", "mkdir /x", "cd a/../..", "cd -", "cd ~"),
      },
    },
  ),
  allow(
    "shell-words",
    "It only steers the shell.",
    { run: ["{:,exit,set,wait}", "{-e,-u,-x,-eu,-ex,-eux,0,1,2}"] },
    {
      examples: { match: words("set -eu", "exit 1"), not: words("set -a", "exit") },
    },
  ),
  allow(
    "shell-ends",
    "It only steers the shell.",
    { run: ["{:,exit,wait}"] },
    {
      examples: { match: words("exit"), not: words("set") },
    },
  ),
  allow(
    "versions",
    ONLY_READS,
    { run: [VERSIONED, "{--version,-V,version}"] },
    {
      examples: { match: words("node --version", "go version"), not: words("node --version -e x", "x --version") },
    },
  ),
  allow(
    "short-versions",
    ONLY_READS,
    { run: ["{node,npm,pnpm,yarn,tsc,php,java}", "{-v,-version}"] },
    {
      examples: { match: words("node -v"), not: words("python -v") },
    },
  ),
];

export const GIT: readonly Rule[] = [
  allow(
    "git-looks",
    ONLY_READS,
    { run: ["git", LOOKS, "**"] },
    {
      except: [GIT_STEERS],
      examples: {
        match: words("git status", "git log --oneline -5", "git diff HEAD~1"),
        not: words("git diff --output=x", "git grep -Ox y", "git -c a=b log", "git push", "git show --ext-diff"),
      },
    },
  ),
  allow(
    "git-looks-unpaged",
    ONLY_READS,
    { run: ["git", "--no-pager", "{status,log,show,diff,blame,shortlog,grep}", "**"] },
    {
      except: [GIT_STEERS],
      examples: {
        match: words("git --no-pager log -3"),
        not: words("git --no-pager log --output=x", "git --paginate log", "git --no-pager push"),
      },
    },
  ),
  allow(
    "git-lists",
    ONLY_READS,
    { run: ["git", "{branch,tag,remote,stash,worktree,reflog}", "{-a,-r,-v,-vv,-l,--list,--show-current,list}"] },
    {
      examples: {
        match: words("git branch -a", "git remote -v", "git stash list"),
        not: words("git branch -D x", "git stash"),
      },
    },
  ),
  allow(
    "git-bare-lists",
    ONLY_READS,
    { run: ["git", "{branch,tag,remote,reflog}"] },
    {
      examples: { match: words("git branch"), not: words("git stash", "git branch x") },
    },
  ),
  allow(
    "git-config-get",
    ONLY_READS,
    { run: ["git", "config", "{--get,--get-all}", "*"] },
    {
      examples: { match: words("git config --get user.name"), not: words("git config user.name x") },
    },
  ),
  allow(
    "git-record",
    "It records the work locally.",
    { run: ["git", "{add,commit}", "**"] },
    {
      except: [arg("^(-[a-zA-Z]*[et]|--e|--te|--gpg|-S|-[a-zA-Z]*i|--i|--p|-[a-zA-Z]*p)"), OUTSIDE],
      examples: {
        match: [["git", "commit", "-m", "a b"], ...words("git add -A", "git add src")],
        not: words("git commit --template=x", "git add -i", "git add -e", "git push"),
      },
    },
  ),
];
