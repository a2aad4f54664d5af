//! The signatures of operators and functions, as `target.name(arguments) result`.

use std::{cell::OnceCell, collections::HashMap};

use super::types::Type;

pub(in crate::cel) struct Signature {
    pub(in crate::cel) is_member: bool,
    /// With the target in front.
    pub(in crate::cel) args: Vec<Type>,
    pub(super) result: Type,
}

/// One line for each name. Types in a line are separated by commas, and `|` separates overloads.
const TABLE: &str = "
_?_:_: bool,A,A A
_&&_: bool,bool bool
_||_: bool,bool bool
!_: bool bool
@not_strictly_false: bool bool
-_: int int | double double
_==_: A,A bool
_!=_: A,A bool
_+_: int,int int | uint,uint uint | double,double double | string,string string | bytes,bytes bytes | list(A),list(A) list(A) | timestamp,duration timestamp | duration,timestamp timestamp | duration,duration duration
_-_: int,int int | uint,uint uint | double,double double | timestamp,timestamp duration | timestamp,duration timestamp | duration,duration duration
_*_: int,int int | uint,uint uint | double,double double
_/_: int,int int | uint,uint uint | double,double double
_%_: int,int int | uint,uint uint
_<_: COMPARE
_<=_: COMPARE
_>_: COMPARE
_>=_: COMPARE
@in: A,list(A) bool | A,map(A B) bool
_[_]: list(A),int A | map(A B),A B | optional(list(A)),int optional(A) | optional(map(A B)),A optional(B)
_[?_]: list(A),int optional(A) | map(A B),A optional(B) | optional(list(A)),int optional(A) | optional(map(A B)),A optional(B)
size: string int | bytes int | list(A) int | map(A B) int | .string int | .bytes int | .list(A) int | .map(A B) int
bool: bool bool | string bool
bytes: bytes bytes | string bytes
double: double double | int double | uint double | string double
duration: duration duration | string duration
dyn: A dyn
int: int int | double int | duration int | string int | timestamp int | uint int
string: string string | bool string | bytes string | double string | duration string | int string | timestamp string | uint string | net.IP string | net.CIDR string
timestamp: timestamp timestamp | string timestamp | int timestamp
type: A type(A)
uint: uint uint | double uint | int uint | string uint
contains: .string,string bool
startsWith: .string,string bool
endsWith: .string,string bool
matches: string,string bool | .string,string bool
getFullYear: TIME
getMonth: TIME
getDayOfYear: TIME
getDayOfMonth: TIME
getDate: TIME
getDayOfWeek: TIME
getHours: TIME | .duration int
getMinutes: TIME | .duration int
getSeconds: TIME | .duration int
getMilliseconds: TIME | .duration int
charAt: .string,int string
indexOf: .string,string int | .string,string,int int | .list(A),A int
lastIndexOf: .string,string int | .string,string,int int | .list(A),A int
join: .list(string) string | .list(string),string string
lowerAscii: .string string
upperAscii: .string string
trim: .string string
replace: .string,string,string string | .string,string,string,int string
split: .string,string list(string) | .string,string,int list(string)
substring: .string,int string | .string,int,int string
format: .string,list(dyn) string
strings.quote: string string
sets.contains: list(A),list(A) bool
sets.equivalent: list(A),list(A) bool
sets.intersects: list(A),list(A) bool
isSorted: .list(A) bool
sum: .list(A) A
min: .list(A) A
max: .list(A) A
includes: .dyn,dyn bool
slice: .list(A),int,int list(A)
flatten: .list(A) list(dyn) | .list(A),int list(dyn)
distinct: .list(A) list(A)
reverse: .list(A) list(A)
sort: .list(A) list(A)
@sortByAssociatedKeys: .list(A),list(B) list(A)
lists.range: int list(int)
first: .list(A) optional(A)
last: .list(A) optional(A)
find: .string,string string
findAll: .string,string list(string) | .string,string,int list(string)
url: string kubernetes.URL
isURL: string bool
getScheme: .kubernetes.URL string
getHost: .kubernetes.URL string
getHostname: .kubernetes.URL string
getPort: .kubernetes.URL string
getEscapedPath: .kubernetes.URL string
getQuery: .kubernetes.URL map(string list(string))
ip: string net.IP | .net.CIDR net.IP
isIP: string bool
ip.isCanonical: string bool
family: .net.IP int
isUnspecified: .net.IP bool
isLoopback: .net.IP bool
isLinkLocalMulticast: .net.IP bool
isLinkLocalUnicast: .net.IP bool
isGlobalUnicast: .net.IP bool
cidr: string net.CIDR
isCIDR: string bool
containsIP: .net.CIDR,net.IP bool | .net.CIDR,string bool
containsCIDR: .net.CIDR,net.CIDR bool | .net.CIDR,string bool
masked: .net.CIDR net.CIDR
prefixLength: .net.CIDR int
quantity: string kubernetes.Quantity
isQuantity: string bool
sign: kubernetes.Quantity int
isGreaterThan: .kubernetes.Quantity,kubernetes.Quantity bool | .kubernetes.Semver,kubernetes.Semver bool
isLessThan: .kubernetes.Quantity,kubernetes.Quantity bool | .kubernetes.Semver,kubernetes.Semver bool
compareTo: .kubernetes.Quantity,kubernetes.Quantity int | .kubernetes.Semver,kubernetes.Semver int
asApproximateFloat: .kubernetes.Quantity double
asInteger: .kubernetes.Quantity int
isInteger: .kubernetes.Quantity bool
add: .kubernetes.Quantity,kubernetes.Quantity kubernetes.Quantity | .kubernetes.Quantity,int kubernetes.Quantity
sub: .kubernetes.Quantity,kubernetes.Quantity kubernetes.Quantity | .kubernetes.Quantity,int kubernetes.Quantity
semver: string kubernetes.Semver | string,bool kubernetes.Semver
isSemver: string bool | string,bool bool
major: .kubernetes.Semver int
minor: .kubernetes.Semver int
patch: .kubernetes.Semver int
format.named: string optional(kubernetes.NamedFormat)
format.dns1123Label:  kubernetes.NamedFormat
format.dns1123Subdomain:  kubernetes.NamedFormat
format.dns1035Label:  kubernetes.NamedFormat
format.qualifiedName:  kubernetes.NamedFormat
format.dns1123LabelPrefix:  kubernetes.NamedFormat
format.dns1123SubdomainPrefix:  kubernetes.NamedFormat
format.dns1035LabelPrefix:  kubernetes.NamedFormat
format.labelValue:  kubernetes.NamedFormat
format.uri:  kubernetes.NamedFormat
format.uuid:  kubernetes.NamedFormat
format.byte:  kubernetes.NamedFormat
format.date:  kubernetes.NamedFormat
format.datetime:  kubernetes.NamedFormat
validate: .kubernetes.NamedFormat,string optional(list(string))
optional.of: A optional(A)
optional.ofNonZeroValue: A optional(A)
optional.none:  optional(A)
value: .optional(A) A
hasValue: .optional(A) bool
or: .optional(A),optional(A) optional(A)
orValue: .optional(A),A A
";

const COMPARE: &str = "bool,bool bool | int,int bool | int,double bool | int,uint bool | uint,uint bool | uint,double bool | uint,int bool | double,double bool | double,int bool | double,uint bool | string,string bool | bytes,bytes bool | timestamp,timestamp bool | duration,duration bool";
const TIME: &str = ".timestamp int | .timestamp,string int";

type Table = HashMap<&'static str, Vec<Signature>>;

/// Calls a closure with the signatures of a function; `None` for an unknown one.
pub(in crate::cel) fn with<T>(name: &str, use_: impl FnOnce(Option<&[Signature]>) -> T) -> T {
    thread_local! {
        static PARSED: OnceCell<Table> = const { OnceCell::new() };
    }
    PARSED.with(|parsed| use_(parsed.get_or_init(table).get(name).map(Vec::as_slice)))
}

fn table() -> Table {
    let lines = TABLE.lines().filter_map(|line| line.split_once(": "));
    let parsed = lines.map(|(name, overloads)| {
        let overloads = overloads.split(" | ").flat_map(|it| match it {
            "COMPARE" => COMPARE.split(" | ").collect(),
            "TIME" => TIME.split(" | ").collect(),
            other => vec![other],
        });
        (name, overloads.map(signature).collect())
    });
    parsed.collect()
}

fn signature(text: &'static str) -> Signature {
    // The result follows the last space that is not in parentheses.
    let mut depth = 0;
    let at = text.char_indices().find(|(_, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        *letter == ' ' && depth == 0
    });
    let (args, result) = text.split_at(at.map_or(0, |(at, _)| at));
    let args_text = args.strip_prefix('.').unwrap_or(args);
    let args_text = args_text.split(',').filter(|it| !it.is_empty());
    Signature {
        is_member: args.starts_with('.'),
        args: args_text.map(Type::parse).collect(),
        result: Type::parse(result.trim_start()),
    }
}
